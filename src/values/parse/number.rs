//! Numbers as people print them: signs of all kinds, thousands, units around them, `1.2万`.

use std::sync::LazyLock;

use regex::Regex;
use rust_decimal::Decimal;

use super::plain;
use crate::values::Number;

/// Digits with what may stand between them.
static DIGITS: LazyLock<Regex> = LazyLock::new(|| pattern(r"\d(?:[\d.,'’ ]*\d)?"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).unwrap_or_else(|error| panic!("{error}"))
}

/// Reads the one number in a text such as `+10 积分`, `¥1,298.50`, `−20` or `1.2万`. Two numbers are none.
pub fn number(text: &str, decimal_comma: bool) -> Option<Number> {
    let text = plain(text);
    let mut found = DIGITS.find_iter(&text);
    let digits = found.next().filter(|_| found.next().is_none())?;
    let value = digits_value(digits.as_str(), decimal_comma)?;
    let (before, after) = (&text[..digits.start()], &text[digits.end()..]);
    let (factor, rounded) = unit(after)?;
    let value = value.checked_mul(factor)?;
    let value = if is_negative(before, after)? { -value } else { value };
    Some(Number { value: value.normalize(), rounded })
}

/// Reads a number as JSON and other machines print it: `-1.5e3`, nothing around it.
pub fn plain_number(text: &str) -> Option<Number> {
    let value = text.parse().ok().or_else(|| Decimal::from_scientific(text).ok())?;
    Some(Number { value, rounded: false })
}

/// `1,298.50` or `1.298,50`: groups of three digits, and at most one decimal sign.
fn digits_value(digits: &str, decimal_comma: bool) -> Option<Decimal> {
    let (decimal, group) = if decimal_comma { (',', '.') } else { ('.', ',') };
    let (whole, fraction) = match digits.rsplit_once(decimal) {
        Some((whole, fraction)) => (whole, fraction),
        None => (digits, ""),
    };
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let groups: Vec<&str> = whole.split([group, ' ', '\'', '’']).collect();
    let all_digits = groups.iter().all(|each| !each.is_empty() && each.bytes().all(|byte| byte.is_ascii_digit()));
    let well_grouped = groups.len() == 1 || (groups[0].len() <= 3 && groups[1..].iter().all(|each| each.len() == 3));
    if !all_digits || !well_grouped {
        return None;
    }
    let whole = groups.concat();
    if fraction.is_empty() { whole.parse().ok() } else { format!("{whole}.{fraction}").parse().ok() }
}

/// What the unit behind a number multiplies it by, and whether the number is a rounded one.
fn unit(after: &str) -> Option<(Decimal, bool)> {
    let after = after.trim_start();
    let mut signs = after.chars();
    let first = signs.next();
    let second = signs.next();
    let alone = !second.is_some_and(|c| c.is_ascii_alphabetic());
    let factor = match first {
        Some('万' | '萬') => 10_000,
        Some('亿' | '億') => 100_000_000,
        Some('千') => 1_000,
        Some('k' | 'K') if alone => 1_000,
        Some('w' | 'W') if alone => 10_000,
        Some('M') if alone => 1_000_000,
        // `99+` is more than 99.
        Some('+') => return Some((Decimal::ONE, true)),
        // `20-` is a minus to some and a dash to others.
        Some('-') => return None,
        _ => return Some((Decimal::ONE, false)),
    };
    Some((Decimal::from(factor), true))
}

/// The sign before a number. A dash behind a letter (`A-20`) may be no sign at all, brackets alone may be a minus.
fn is_negative(before: &str, after: &str) -> Option<bool> {
    let before = before.trim_end();
    if before.ends_with('(') && after.trim_start().starts_with(')') {
        return None;
    }
    // A currency may stand between the sign and the digits: `-¥20`.
    let before = before.trim_end_matches(['¥', '￥', '$', '€', '£', ' ']);
    let Some(rest) = before.strip_suffix('-') else { return Some(false) };
    let unclear = rest.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '+'));
    (!unclear).then_some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(text: &str) -> Option<String> {
        number(text, false).map(|number| format!("{}{}", number.value, if number.rounded { "~" } else { "" }))
    }

    #[test]
    fn signs_blanks_and_units() {
        for (text, value) in [
            ("\u{2212}20", "-20"),
            ("1\u{a0}298", "1298"),
            ("＋５", "5"),
            ("+10 积分", "10"),
            ("－１，２９８", "-1298"),
            ("余额：1,298 分", "1298"),
            ("¥1,298.50", "1298.5"),
            ("-¥20", "-20"),
            ("1.2万", "12000~"),
            ("1.2k", "1200~"),
            ("3.5 亿", "350000000~"),
            ("99+", "99~"),
            ("连续签到7天", "7"),
            ("10 kg", "10"),
            ("积分-20", "-20"),
            ("0", "0"),
            ("50%", "50"),
            ("1'298", "1298"),
            ("10.", "10"),
        ] {
            assert_eq!(exact(text).as_deref(), Some(value), "{text}");
        }
    }

    #[test]
    fn decimal_comma() {
        let read = |text| number(text, true).map(|number| number.value.to_string());
        assert_eq!(read("1.234,5").as_deref(), Some("1234.5"));
        assert_eq!(read("1.234").as_deref(), Some("1234"));
        assert_eq!(read("0,5").as_deref(), Some("0.5"));
        assert_eq!(read("1,234.5"), None);
    }

    #[test]
    fn what_is_not_one_certain_number_is_none() {
        for text in [
            "",
            "--",
            "积分",
            "10/50",
            "2026-11-30",
            "12:30",
            "1,5",
            "12,34",
            "1.2.3",
            "A-20",
            "(20)",
            "20-",
            "3 7",
            "١٢",
            "99999999999999999999999999999999",
            "1万2千",
            "NaN",
            "1,,000",
        ] {
            assert_eq!(exact(text), None, "{text}");
        }
    }

    #[test]
    fn machine_numbers() {
        assert_eq!(plain_number("1.5e3").map(|number| number.value.to_string()).as_deref(), Some("1500"));
        assert_eq!(plain_number("+10 分"), None);
    }
}
