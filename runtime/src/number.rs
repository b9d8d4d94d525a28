//! Numbers: exact parsing of decimal strings, and equality that does not round integers.

use serde_json::Number;

/// 2^53, from where a float no longer identifies one integer.
const FIRST_AMBIGUOUS: f64 = 9_007_199_254_740_992.0;

/// Parses `text`, a JSON number. An integer of 64 bits that a float would round is exact, whatever its spelling: `1.8e19`. Another crate in
/// the program may have enabled `arbitrary_precision`, with which `serde_json` keeps numbers as strings.
pub(crate) fn parse(text: &str) -> Option<Number> {
    let number: Number = serde_json::from_str(text).ok()?;
    if number.is_i64() || number.is_u64() {
        return Some(number);
    }
    let float = number.as_f64()?;
    let exact = || of_64_bits(Decimal::read(text)?.value()?);
    if is_ambiguous(float) { exact().or_else(|| Number::from_f64(float)) } else { Number::from_f64(float) }
}

/// Returns whether several integers of 64 bits may have been rounded to `float`.
pub(crate) fn is_ambiguous(float: f64) -> bool {
    // The largest integer of 64 bits is rounded to 2^64.
    (FIRST_AMBIGUOUS..=18_446_744_073_709_551_616.0).contains(&float.abs())
}

/// Returns whether the text of `number` may have been another than its decimal digits, such as `5.0` or `1e18`.
pub(crate) fn may_be_respelled(number: &Number) -> bool {
    number.is_f64() || number.as_f64().is_some_and(is_ambiguous)
}

fn of_64_bits(integer: i128) -> Option<Number> {
    let signed = i64::try_from(integer).ok().map(Number::from);
    signed.or_else(|| u64::try_from(integer).ok().map(Number::from))
}

/// Returns `number` as an integer, if it is exactly one.
pub(crate) fn integer(number: &Number) -> Option<i64> {
    match number.as_i64() {
        None if number.is_f64() => number.as_f64().and_then(whole),
        integer => integer,
    }
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
    (float.fract() == 0.0 && float.abs() < FIRST_AMBIGUOUS).then_some(float as i64)
}

/// Returns the integer that `text` contains in decimal, if it fits.
pub(crate) fn integer_from(text: &str) -> Option<i64> {
    i64::try_from(Decimal::read(text)?.exact()?).ok()
}

/// Returns the number that `text` contains in decimal: exactly if it is an integer of 64 bits, otherwise the nearest
/// `f64`.
pub(crate) fn number_from(text: &str) -> Option<Number> {
    let decimal = Decimal::read(text)?;
    if let Some(number) = decimal.exact().and_then(of_64_bits) {
        return Some(number);
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
        if self.is_integer() { self.value() } else { None }
    }

    /// Returns the value, if it is an integer in any spelling: `1.50e1`, `150e-1`.
    fn value(&self) -> Option<i128> {
        if self.is_zero() {
            return Some(0);
        }
        let digits = format!("{}{}", self.whole, self.fraction);
        let significant = digits.trim_end_matches('0');
        let zeros = i64::try_from(digits.len() - significant.len()).ok()?;
        let power = self.exponent.checked_sub(i64::try_from(self.fraction.len()).ok()?)?.checked_add(zeros)?;
        let power = 10_i128.checked_pow(u32::try_from(power).ok()?)?;
        let size = significant.parse::<i128>().ok()?.checked_mul(power)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_integer_of_64_bits_is_exact_in_every_spelling() {
        for (text, expected) in [
            ("9007199254740993.0", "9007199254740993"),
            ("-9007199254740993.000", "-9007199254740993"),
            ("12345678901234567890.0", "12345678901234567890"),
            ("1.2345678901234567890e19", "12345678901234567890"),
            ("90071992547409930e-1", "9007199254740993"),
            ("0.9007199254740993E+16", "9007199254740993"),
            ("18446744073709551615.0", "18446744073709551615"),
            ("-9223372036854775808.0", "-9223372036854775808"),
            ("1e19", "10000000000000000000"),
        ] {
            let number = parse(text).unwrap();
            assert_eq!((number.is_f64(), &*number.to_string()), (false, expected), "{text}");
        }
        for text in ["-9223372036854775809.0", "18446744073709551616.0", "9007199254740993.5", "5.0", "1e-9", "1e300"] {
            assert!(parse(text).unwrap().is_f64(), "{text}");
        }
        let long = format!("9007199254740993.{}", "0".repeat(100_000));
        assert_eq!(parse(&long).unwrap().to_string(), "9007199254740993");
    }
}
