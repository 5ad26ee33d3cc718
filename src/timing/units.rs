//! Durations (`15s`) and times of day (`"06:00"`) as the files write them.

use std::time::Duration;

use chrono::NaiveTime;

/// A time of day, to the minute.
pub type ClockTime = NaiveTime;

/// Reads `15s`, `20m`, `2h` or `30d`. The answer names what to write instead.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let cure = || format!("`{text}` is not a duration: write a whole number and a unit, such as 15s, 20m, 2h or 30d");
    let unit = text.chars().last().ok_or_else(cure)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return Err(cure()),
    };
    let digits = &text[..text.len() - 1];
    if digits.is_empty() || digits.len() > 6 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(cure());
    }
    let count: u64 = digits.parse().map_err(|_| cure())?;
    Ok(Duration::from_secs(count * seconds))
}

/// Reads `06:00`.
pub fn parse_clock(text: &str) -> Result<ClockTime, String> {
    let well_formed = text.len() == 5 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    NaiveTime::parse_from_str(text, "%H:%M")
        .ok()
        .filter(|_| well_formed)
        .ok_or_else(|| format!("`{text}` is not a time of day: write hours and minutes in quotes, such as \"06:00\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        assert_eq!(parse_duration("15s"), Ok(Duration::from_secs(15)));
        assert_eq!(parse_duration("30d"), Ok(Duration::from_secs(2_592_000)));
        for wrong in ["", "s", "15", "1.5h", "-1s", "15 s", "９s", "15分", "99999999d"] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_of_day() {
        assert_eq!(parse_clock("06:00"), Ok(NaiveTime::from_hms_opt(6, 0, 0).unwrap()));
        for wrong in ["6:00", "24:00", "06:00:00", "06.00", "", "０６:００", " 6:00"] {
            assert!(parse_clock(wrong).is_err(), "{wrong}");
        }
    }
}
