//! Numbers: exact parsing of decimal strings, and equality that does not round integers.

use serde_json::Number;

/// Parses `text`, a JSON number. Another crate in the program may have enabled `arbitrary_precision`, with which
/// `serde_json` keeps numbers as strings.
pub(crate) fn parse(text: &str) -> Option<Number> {
    let number: Number = serde_json::from_str(text).ok()?;
    if number.is_i64() || number.is_u64() { Some(number) } else { Number::from_f64(number.as_f64()?) }
}

/// Returns `number` as an integer, if it is exactly one.
pub(crate) fn integer(number: &Number) -> Option<i64> {
    match number.as_i64() {
        None if number.is_f64() => number.as_f64().and_then(whole),
        integer => integer,
    }
}

/// Returns `number` as a number without a fraction and an exponent, if it is an integer of at most 64 bits.
pub(crate) fn as_integer(number: &Number) -> Option<Number> {
    let integer = exact(number)?;
    let signed = i64::try_from(integer).ok().map(Number::from);
    signed.or_else(|| u64::try_from(integer).ok().map(Number::from))
}

/// Returns the JSON number for `text`, a number in decimal: with the same digits, and without what JSON does not allow.
pub(crate) fn json_text(text: &str) -> Option<String> {
    let Decimal { negative, whole, fraction, .. } = Decimal::read(text)?;
    let exponent = text.trim().split_once(['e', 'E']).map(|(_, exponent)| exponent);
    let mut out = String::from(if negative { "-" } else { "" });
    let whole = whole.trim_start_matches('0');
    out.push_str(if whole.is_empty() { "0" } else { whole });
    for (mark, digits) in [('.', Some(fraction).filter(|fraction| !fraction.is_empty())), ('e', exponent)] {
        if let Some(digits) = digits {
            out.push(mark);
            out.push_str(digits);
        }
    }
    Some(out)
}

/// Returns `float` as an integer, or `None` if it has a fraction, or is at least 2^53, from where a float no longer
/// identifies one integer.
#[expect(clippy::cast_possible_truncation, reason = "it has no fraction, and is far within 64 bits")]
pub(crate) fn whole(float: f64) -> Option<i64> {
    (float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0).then_some(float as i64)
}

/// Returns the integer that `text` contains in decimal, if it fits.
pub(crate) fn integer_from(text: &str) -> Option<i64> {
    i64::try_from(Decimal::read(text)?.exact()?).ok()
}

/// Returns the number that `text` contains in decimal: exactly if it is an integer of 64 bits, otherwise the nearest
/// `f64`.
pub(crate) fn number_from(text: &str) -> Option<Number> {
    let decimal = Decimal::read(text)?;
    if let Some(exact) = decimal.exact() {
        let signed = i64::try_from(exact).ok().map(Number::from);
        if let Some(number) = signed.or_else(|| u64::try_from(exact).ok().map(Number::from)) {
            return Some(number);
        }
    }
    let nearest = decimal.nearest()?;
    let underflow = nearest.as_f64() == Some(0.0) && !decimal.is_zero();
    (!underflow).then_some(nearest)
}

/// Returns the number that `text` contains in decimal, to compare it with bounds: the nearest one of those that exist, whatever its size.
/// `is_integer`: only an integer is accepted, as in [`integer_from`].
pub(crate) fn of_any_size(text: &str, is_integer: bool) -> Option<Number> {
    let decimal = Decimal::read(text)?;
    if is_integer && !decimal.is_integer() {
        return None;
    }
    let largest = if decimal.negative { f64::MIN } else { f64::MAX };
    match decimal.nearest() {
        Some(_) => number_from(text),
        None => Number::from_f64(largest),
    }
}

/// A parsed decimal string: `[+-] digits [. digits] [e [+-] digits]`, with white space around it.
struct Decimal<'s> {
    negative: bool,
    whole: &'s str,
    fraction: &'s str,
    exponent: i64,
}

impl<'s> Decimal<'s> {
    fn read(text: &'s str) -> Option<Self> {
        let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        let text = text.trim();
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (unsigned, None),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if !digits(whole) || !digits(fraction) || (whole.is_empty() && fraction.is_empty()) {
            return None;
        }
        let exponent = match exponent {
            None => 0,
            Some(signed) => {
                let unsigned = signed.strip_prefix(['+', '-']).unwrap_or(signed);
                if unsigned.is_empty() || !digits(unsigned) {
                    return None;
                }
                let size = unsigned.parse().unwrap_or(i64::MAX);
                if signed.starts_with('-') { -size } else { size }
            }
        };
        Some(Self { negative: text.starts_with('-'), whole, fraction, exponent })
    }

    fn is_zero(&self) -> bool {
        self.whole.bytes().chain(self.fraction.bytes()).all(|b| b == b'0')
    }

    /// Returns the nearest JSON number.
    fn nearest(&self) -> Option<Number> {
        let (sign, whole) = (if self.negative { "-" } else { "" }, self.whole.trim_start_matches('0'));
        let first = if whole.is_empty() { "0" } else { "" };
        parse(&format!("{sign}{first}{whole}.{}0e{}", self.fraction, self.exponent))
    }

    /// Returns whether the mantissa is an integer, and the exponent is not negative.
    fn is_integer(&self) -> bool {
        self.exponent >= 0 && self.fraction.bytes().all(|b| b == b'0')
    }

    /// Returns the integer, if it [is one](Self::is_integer).
    fn exact(&self) -> Option<i128> {
        if !self.is_integer() {
            return None;
        }
        if self.is_zero() {
            return Some(0);
        }
        let digits: i128 = self.whole.trim_start_matches('0').parse().ok()?;
        let power = 10_i128.checked_pow(u32::try_from(self.exponent).ok()?)?;
        let size = digits.checked_mul(power)?;
        Some(if self.negative { -size } else { size })
    }
}

/// Returns whether two JSON numbers have the same value.
pub(crate) fn equal(a: &Number, b: &Number) -> bool {
    match (exact(a), exact(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a.as_f64() == b.as_f64(),
    }
}

/// Returns `number` as an integer, if it is one of at most 64 bits.
pub(crate) fn exact(number: &Number) -> Option<i128> {
    let integer = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    integer.or_else(|| exact_float(number.as_f64()?))
}

/// Returns `float` as an integer, if it is exactly one of at most 64 bits.
#[expect(clippy::cast_possible_truncation, reason = "it has no fraction, and is below 2^64")]
pub(crate) fn exact_float(float: f64) -> Option<i128> {
    (float.fract() == 0.0 && float.abs() < 18_446_744_073_709_551_616.0).then_some(float as i128)
}
