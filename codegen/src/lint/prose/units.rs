//! Another unit than the name has, as "in seconds" for `timeout_ms`, and two units in one text.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use toolc::__gen::table::Type;

use super::{CORRECT, Contradiction, Described, regex};
use crate::lint::verbs::words;

/// A unit: what it measures, its full name, and its other names.
struct Unit {
    measures: &'static str,
    name: &'static str,
    others: &'static [&'static str],
}

const fn unit(measures: &'static str, name: &'static str, others: &'static [&'static str]) -> Unit {
    Unit { measures, name, others }
}

const UNITS: [Unit; 34] = [
    unit("time", "nanoseconds", &["nanosecond", "nanos", "ns"]),
    unit("time", "microseconds", &["microsecond", "micros", "us", "µs"]),
    unit("time", "milliseconds", &["millisecond", "millis", "msec", "msecs", "ms"]),
    unit("time", "seconds", &["second", "secs", "sec", "s"]),
    unit("time", "minutes", &["minute", "mins"]),
    unit("time", "hours", &["hour", "hrs", "hr", "h"]),
    unit("time", "days", &["day"]),
    unit("time", "weeks", &["week"]),
    unit("size", "bits", &["bit"]),
    unit("size", "bytes", &["byte"]),
    unit("size", "kilobytes", &["kilobyte", "kb", "kib", "kibibytes"]),
    unit("size", "megabytes", &["megabyte", "mb", "mib", "mebibytes"]),
    unit("size", "gigabytes", &["gigabyte", "gb", "gib", "gibibytes"]),
    unit("angle", "degrees", &["degree", "deg"]),
    unit("angle", "radians", &["radian", "rad"]),
    unit("length", "millimeters", &["millimetres", "mm"]),
    unit("length", "centimeters", &["centimetres", "cm"]),
    unit("length", "meters", &["metres", "meter", "metre"]),
    unit("length", "kilometers", &["kilometres", "km"]),
    unit("length", "miles", &["mile"]),
    unit("length", "feet", &["foot", "ft"]),
    unit("length", "inches", &["inch"]),
    unit("length", "yards", &["yard", "yd"]),
    unit("mass", "grams", &["gram", "grammes", "g"]),
    unit("mass", "kilograms", &["kilogram", "kilogrammes", "kilos", "kg"]),
    unit("mass", "ounces", &["ounce", "oz"]),
    unit("mass", "pounds", &["lbs", "lb"]),
    unit("mass", "tonnes", &["tonne", "tons", "ton"]),
    unit("temperature", "celsius", &["centigrade"]),
    unit("temperature", "fahrenheit", &[]),
    unit("temperature", "kelvin", &["kelvins"]),
    unit("length", "pixels", &["pixel", "px"]),
    unit("money", "cents", &["cent"]),
    unit("money", "dollars", &["dollar", "usd"]),
];

/// A statement about the unit of the value. The group `unit` is the unit.
static STATED: LazyLock<Regex> = LazyLock::new(|| {
    let mut names: Vec<&str> =
        UNITS.iter().flat_map(|unit| [unit.name].into_iter().chain(unit.others.iter().copied())).collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let long: Vec<&str> = names.iter().copied().filter(|name| name.len() > 1).collect();
    let (all, long) = (names.join("|"), long.join("|"));
    regex(&format!(
        r"(?i)(?:\b(?:in|as|unit:|units:|measured in|expressed in)\s+(?:whole |full |integer |degrees )?(?P<a>{all})\b|\s[(\[](?:in\s+)?(?P<b>{all})[)\]]|^\s*(?:the |a )?(?:(?:maximum |minimum |total )?number of |how many |amount of )?(?P<c>{long})\s+(?:to|before|after|until|between|for|of)\b|[,;:]\s*(?P<d>{long})\s*[.;)]?\s*$|\bthis many\s+(?P<e>{long})\b)(?P<after>\s*\w*)"
    ))
});

pub(super) fn read(described: &Described<'_>) -> Option<Contradiction> {
    let is_number = described.types().iter().all(|ty| matches!(ty, Type::Integer | Type::Number | Type::String));
    let may_be_stated =
        ["in ", "IN ", "In ", "as ", "(", "[", "nit", "umber of", "any ", ", ", ": ", "ond", "ute", "yte", "our"];
    if !is_number || !may_be_stated.iter().any(|sign| described.text.contains(sign)) {
        return None;
    }
    let of_name = unit_of_name(described.name());
    // Few names have a unit. Without one, only a text with two units contradicts itself.
    let mut stated = STATED.captures_iter(described.text).filter_map(|found| {
        let unit = ["a", "b", "c", "d", "e"].iter().find_map(|group| found.name(group))?;
        // "in seconds or minutes", "in days ago", "within"
        let after = found.name("after").map_or("", |after| after.as_str()).trim();
        let is_open = matches!(after, "or" | "and" | "ago" | "since");
        (!is_open).then(|| Some((find(&unit.as_str().to_lowercase())?, unit.range())))?
    });
    let (unit, span) = stated.next()?;
    let name = described.name();
    let (message, span, label) = if let Some(of_name) = of_name {
        if of_name.measures != unit.measures || of_name.name == unit.name || mentions(described.text, of_name) {
            return None;
        }
        let message = format!("the text says that `{name}` is in {}, but its name says {}", unit.name, of_name.name);
        (message, span, format!("the name says {}", of_name.name))
    } else {
        let (other, second) = stated.find(|(other, _)| other.measures == unit.measures && other.name != unit.name)?;
        let is_explicit = |span: &Range<usize>| described.text[..span.start].ends_with("in ");
        if !is_explicit(&span) || !is_explicit(&second) {
            return None;
        }
        let message = format!("the text says that `{name}` is in {}, and also in {}", unit.name, other.name);
        (message, second, "this parameter has one unit".to_owned())
    };
    Some(Contradiction { span, message, other: (described.property.name.place, label), help: CORRECT })
}

fn find(name: &str) -> Option<&'static Unit> {
    UNITS.iter().find(|unit| unit.name == name || unit.others.contains(&name))
}

/// Returns the unit at the end of a name, such as that of `timeout_ms`.
fn unit_of_name(name: &str) -> Option<&'static Unit> {
    let words = words(name);
    let last = words.last().filter(|_| words.len() > 1)?;
    // `per_day` is a rate.
    let before = words.get(words.len() - 2).map_or("", |word| word.as_ref());
    let is_rate = matches!(before, "per" | "of" | "the" | "every" | "each");
    find(last).filter(|_| !is_rate && (last.len() > 1))
}

/// Returns whether a text names a unit, as it does to convert one.
fn mentions(text: &str, unit: &Unit) -> bool {
    let words = text.split(|letter: char| !letter.is_alphabetic());
    words.into_iter().any(|word| {
        let word = word.to_lowercase();
        !word.is_empty() && (unit.name == word || unit.others.contains(&word.as_str()))
    })
}
