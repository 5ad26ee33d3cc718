//! Instants and days as people print them: 刚刚, 昨天 23:58, 12-31 09:00, 2026年11月30日, ISO, Unix time.

use std::sync::LazyLock;

use chrono::{DateTime, Datelike, Days, FixedOffset, NaiveDate, NaiveTime, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;
use regex::{Captures, Regex};

use super::plain;

/// Reads an instant. Without a zone of its own it is in `zone`; without a year, in the latest that is not to come.
pub fn time(text: &str, now: DateTime<Utc>, zone: Tz) -> Option<DateTime<Utc>> {
    let text = plain(text);
    let here = Here { now, zone };
    with_offset(&text).or_else(|| unix(&text)).or_else(|| here.ago(&text)).or_else(|| here.local(&text))
}

/// Reads a calendar day; of an instant it is the day in `zone`.
pub fn date(text: &str, now: DateTime<Utc>, zone: Tz) -> Option<NaiveDate> {
    time(text, now, zone).map(|instant| instant.with_timezone(&zone).date_naive())
}

/// An instant in Unix seconds or milliseconds, whichever lies in this century.
pub fn from_unix(number: i64) -> Option<DateTime<Utc>> {
    let instant = if number.unsigned_abs() < 100_000_000_000 {
        DateTime::from_timestamp(number, 0)?
    } else {
        DateTime::from_timestamp_millis(number)?
    };
    (2001..2100).contains(&instant.year()).then_some(instant)
}

fn unix(text: &str) -> Option<DateTime<Utc>> {
    let looks_so = matches!(text.len(), 10 | 13) && text.bytes().all(|byte| byte.is_ascii_digit());
    looks_so.then(|| text.parse().ok().and_then(from_unix)).flatten()
}

/// ISO 8601 with an offset, and the form of HTTP and mail.
fn with_offset(text: &str) -> Option<DateTime<Utc>> {
    let parsed: Option<DateTime<FixedOffset>> = DateTime::parse_from_rfc3339(text)
        .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f%z"))
        .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S%.f %z"))
        .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M%:z"))
        .or_else(|_| DateTime::parse_from_rfc2822(text))
        .ok();
    parsed.map(|instant| instant.to_utc())
}

macro_rules! patterns {
    ($($name:ident = $text:literal;)*) => {
        $(static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($text).unwrap_or_else(|error| panic!("{error}")));)*
    };
}

patterns! {
    AGO = r"(?i)^(\d{1,5}|an?|半|half an) ?(?:个 ?)?(秒钟?|分钟?|小时|钟头|天|日|周|星期|seconds?|secs?|minutes?|mins?|hours?|days?|weeks?) ?(?:以?前|之前|ago)$";
    YMD = r"^(\d{4})(?:[-/.]| ?年 ?)(\d{1,2})(?:[-/.]| ?月 ?)(\d{1,2})(?: ?[日号])?";
    DMY = r"^(\d{1,2})\.(\d{1,2})\.(\d{4})";
    MD = r"^(\d{1,2})(?:[-/]| ?月 ?)(\d{1,2})(?: ?[日号])?";
    ENGLISH = r"(?i)^(?:(\d{1,2}) )?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?: (\d{1,2})(?:st|nd|rd|th)?\b)?(?:,? (\d{4}))?";
    WORD = r"(?i)^(今天|今日|昨天|昨日|前天|前日|today|yesterday)";
    WEEKDAY = r"(?i)^[ ,(（]*(?:周|星期|礼拜)[一二三四五六日天][ ,)）]*|^[ ,(]*(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[ ,)]*";
    CLOCK = r"(?i)^(凌晨|早上|上午|中午|下午|傍晚|晚上|am|pm)? ?(\d{1,2})(?::|点|时)(?:(\d{1,2})(?:分|:)?)?(?:(\d{1,2})(?:[.,]\d{1,9})?秒?)? ?(am|pm)?$";
}

/// Where and when a text is read.
struct Here {
    now: DateTime<Utc>,
    zone: Tz,
}

impl Here {
    fn today(&self) -> NaiveDate {
        self.now.with_timezone(&self.zone).date_naive()
    }

    /// 刚刚, 5分钟前, 2 hours ago.
    fn ago(&self, text: &str) -> Option<DateTime<Utc>> {
        if matches!(text.to_lowercase().as_str(), "刚刚" | "刚才" | "just now" | "now") {
            return Some(self.now);
        }
        let found = AGO.captures(text)?;
        let unit = match found[2].to_lowercase().chars().next()? {
            '秒' | 's' => TimeDelta::seconds(1),
            '分' | 'm' => TimeDelta::minutes(1),
            '小' | '钟' | 'h' => TimeDelta::hours(1),
            '天' | '日' | 'd' => TimeDelta::days(1),
            _ => TimeDelta::weeks(1),
        };
        let span = match found[1].to_lowercase().as_str() {
            "半" | "half an" => unit / 2,
            "a" | "an" => unit,
            count => unit.checked_mul(count.parse().ok()?)?,
        };
        self.now.checked_sub_signed(span)
    }

    /// A day, perhaps with a time of day; or a time of today.
    fn local(&self, text: &str) -> Option<DateTime<Utc>> {
        let text = WEEKDAY.replace(text, "");
        let Some((date, rest)) = self.day(&text) else {
            let instant = self.at(self.today(), clock(&text)?)?;
            return (instant <= self.now + TimeDelta::minutes(5)).then_some(instant);
        };
        let rest = rest.trim_start_matches([' ', ',', 'T', '日']);
        let rest = WEEKDAY.replace(rest, "");
        let time = if rest.trim().is_empty() { NaiveTime::MIN } else { clock(rest.trim())? };
        match date {
            Date::Of(date) => self.at(date, time),
            Date::WithoutYear(month, day) => self.latest(month, day, time),
        }
    }

    /// The day at the start of a text, and what follows it.
    fn day<'t>(&self, text: &'t str) -> Option<(Date, &'t str)> {
        let rest = |found: &Captures<'_>| &text[found.get(0).map_or(0, |all| all.end())..];
        let number = |found: &Captures<'_>, at: usize| found.get(at)?.as_str().parse::<u32>().ok();
        if let Some(found) = YMD.captures(text) {
            let year = found[1].parse().ok()?;
            let date = NaiveDate::from_ymd_opt(year, number(&found, 2)?, number(&found, 3)?)?;
            return Some((Date::Of(date), rest(&found)));
        }
        if let Some(found) = DMY.captures(text) {
            let year = found[3].parse().ok()?;
            let date = NaiveDate::from_ymd_opt(year, number(&found, 2)?, number(&found, 1)?)?;
            return Some((Date::Of(date), rest(&found)));
        }
        if let Some(found) = WORD.captures(text) {
            let back = match found[1].to_lowercase().as_str() {
                "今天" | "今日" | "today" => 0,
                "前天" | "前日" => 2,
                _ => 1,
            };
            return Some((Date::Of(self.today() - Days::new(back)), rest(&found)));
        }
        if let Some(found) = MD.captures(text) {
            return Some((Date::WithoutYear(number(&found, 1)?, number(&found, 2)?), rest(&found)));
        }
        let found = ENGLISH.captures(text)?;
        let month = month_of(&found[2])?;
        // `30 Nov` and `Nov 30` both; without a day, or with two, it is no date.
        let day = match (number(&found, 1), number(&found, 3)) {
            (Some(day), None) | (None, Some(day)) => day,
            _ => return None,
        };
        let date = match found.get(4) {
            Some(year) => Date::Of(NaiveDate::from_ymd_opt(year.as_str().parse().ok()?, month, day)?),
            None => Date::WithoutYear(month, day),
        };
        Some((date, rest(&found)))
    }

    /// The latest such day that is not in the future; a day of tolerance covers clocks that differ.
    fn latest(&self, month: u32, day: u32, time: NaiveTime) -> Option<DateTime<Utc>> {
        let this_year = self.today().year();
        let instants = (0..9).filter_map(|back| self.at(NaiveDate::from_ymd_opt(this_year - back, month, day)?, time));
        instants.into_iter().find(|instant| *instant <= self.now + TimeDelta::days(1))
    }

    /// In a gap the first valid instant, in an overlap the earlier one.
    fn at(&self, date: NaiveDate, time: NaiveTime) -> Option<DateTime<Utc>> {
        let local = date.and_time(time);
        let instant = |minutes| self.zone.from_local_datetime(&(local + TimeDelta::minutes(minutes))).earliest();
        (0..=180).find_map(instant).map(|instant| instant.to_utc())
    }
}

enum Date {
    Of(NaiveDate),
    WithoutYear(u32, u32),
}

fn month_of(name: &str) -> Option<u32> {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let at = MONTHS.iter().position(|month| *month == name.to_lowercase())?;
    u32::try_from(at + 1).ok()
}

/// 09:00, 9:00:05, 下午3点, 3:05 PM.
fn clock(text: &str) -> Option<NaiveTime> {
    let found = CLOCK.captures(text)?;
    let part = |at: usize| found.get(at).map_or(Some(0), |digits| digits.as_str().parse::<u32>().ok());
    let half = found.get(1).or_else(|| found.get(5)).map(|word| word.as_str().to_lowercase());
    let hour = match (part(2)?, half.as_deref()) {
        (hour, None) => hour,
        (12, Some("am" | "凌晨")) => 0,
        (hour @ 1..=11, Some("pm" | "下午" | "傍晚" | "晚上")) => hour + 12,
        (hour @ 1..=2, Some("中午")) => hour + 12,
        (hour, Some(_)) => hour,
    };
    NaiveTime::from_hms_opt(hour, part(3)?, part(4)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHANGHAI: Tz = chrono_tz::Asia::Shanghai;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    /// Read at 2027-01-01 06:00 in Shanghai.
    fn read(text: &str) -> Option<String> {
        let found = time(text, at("2026-12-31T22:00:00Z"), SHANGHAI)?;
        Some(found.with_timezone(&SHANGHAI).format("%Y-%m-%d %H:%M:%S").to_string())
    }

    #[test]
    fn words_and_spans() {
        for (text, instant) in [
            ("刚刚", "2027-01-01 06:00:00"),
            ("5分钟前", "2027-01-01 05:55:00"),
            ("5 分钟前", "2027-01-01 05:55:00"),
            ("3小时前", "2027-01-01 03:00:00"),
            ("半小时前", "2027-01-01 05:30:00"),
            ("an hour ago", "2027-01-01 05:00:00"),
            ("2天前", "2026-12-30 06:00:00"),
            ("今天 00:10", "2027-01-01 00:10:00"),
            ("今天00:10", "2027-01-01 00:10:00"),
            ("昨天 23:58", "2026-12-31 23:58:00"),
            ("前天 8:05", "2026-12-30 08:05:00"),
            ("Yesterday 23:58", "2026-12-31 23:58:00"),
            ("05:30", "2027-01-01 05:30:00"),
        ] {
            assert_eq!(read(text).as_deref(), Some(instant), "{text}");
        }
    }

    #[test]
    fn days_without_a_year_are_not_to_come() {
        assert_eq!(read("12-31 09:00").as_deref(), Some("2026-12-31 09:00:00"));
        assert_eq!(read("1月1日 05:00").as_deref(), Some("2027-01-01 05:00:00"));
        assert_eq!(read("02-29 05:00").as_deref(), Some("2024-02-29 05:00:00"));
    }

    #[test]
    fn written_out() {
        for (text, instant) in [
            ("2026年11月30日", "2026-11-30 00:00:00"),
            ("2026年11月30日 下午3点05分", "2026-11-30 15:05:00"),
            ("2026-11-30 06:00:01", "2026-11-30 06:00:01"),
            ("2026/11/30 06:00", "2026-11-30 06:00:00"),
            ("2026-11-30T06:00:00", "2026-11-30 06:00:00"),
            ("2026-11-30T06:00:00.123", "2026-11-30 06:00:00"),
            ("2026-11-30T06:00:00Z", "2026-11-30 14:00:00"),
            ("2026-11-30T06:00:00+0000", "2026-11-30 14:00:00"),
            ("Mon, 30 Nov 2026 06:00:00 GMT", "2026-11-30 14:00:00"),
            ("2026-11-30（星期一）06:00", "2026-11-30 06:00:00"),
            ("30.11.2026 06:00", "2026-11-30 06:00:00"),
            ("Nov 30, 2026 3:05 PM", "2026-11-30 15:05:00"),
            ("30 Nov 2026", "2026-11-30 00:00:00"),
            ("1796003999", "2026-11-30 09:59:59"),
            ("1796003999123", "2026-11-30 09:59:59"),
            ("２０２６－１１－３０　０６：００", "2026-11-30 06:00:00"),
        ] {
            assert_eq!(read(text).as_deref(), Some(instant), "{text}");
        }
    }

    #[test]
    fn what_is_no_certain_instant_is_none() {
        for text in [
            "",
            "--",
            "待入账",
            "2026-13-01",
            "2026-02-30",
            "25:00",
            "昨天 25:00",
            "23:59",
            "11/30/26",
            "明天",
            "12345",
            "2026-11-30 06:00 左右",
            "99999999999999999999",
            "Nov",
            "99999天以前 x",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_day_is_that_of_the_zone() {
        let now = at("2026-11-30T00:00:00Z");
        let day = |text| date(text, now, SHANGHAI).map(|day| day.to_string());
        assert_eq!(day("2026-11-29T22:00:00Z").as_deref(), Some("2026-11-30"));
        assert_eq!(day("2026-11-30").as_deref(), Some("2026-11-30"));
        assert_eq!(day("昨天").as_deref(), Some("2026-11-29"));
    }

    #[test]
    fn a_time_in_a_gap_is_the_first_valid_one() {
        let zone: Tz = "America/New_York".parse().unwrap();
        let read = time("2026-03-08 02:30", at("2026-03-09T00:00:00Z"), zone);
        assert_eq!(read, Some(at("2026-03-08T07:00:00Z")));
    }
}
