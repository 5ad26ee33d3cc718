//! Cron expressions: five fields, or Quartz's six with `?`. A library reads the fields; what is refused, and by which
//! words, is ours, and so is what a wall time means (`instant`).

use chrono::{NaiveDate, NaiveTime};
use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};

use super::times::Times;

/// Why an expression is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CronFault {
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub cure: String,
}

/// One of the five fields.
struct Field {
    /// For people.
    name: &'static str,
    /// What may stand in it.
    form: &'static str,
    /// The words that may stand in it.
    words: &'static [&'static str],
}

const FIELDS: [Field; 5] = [
    Field { name: "a minute", form: "0-59", words: &[] },
    Field { name: "an hour", form: "0-23", words: &[] },
    Field { name: "a day of the month", form: "1-31, or `L` for the last day", words: &["L", "W", "LW"] },
    Field {
        name: "a month",
        form: "1-12, or jan-dec",
        words: &["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
    },
    Field {
        name: "a weekday",
        form: "mon-sun, or 0-7, where 0 and 7 are Sunday and 1 is Monday",
        words: &[
            "MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN", "L", "MONL", "TUEL", "WEDL", "THUL", "FRIL", "SATL",
            "SUNL",
        ],
    },
];

const DAY: usize = 2;
const WEEKDAY: usize = 4;

/// Reads an expression.
pub fn parse_cron(text: &str) -> Result<Times, CronFault> {
    if let Some(odd) = text.chars().find(|found| !found.is_ascii()) {
        return Err(fault(
            format!("`{odd}` does not belong in a cron expression"),
            "write plain (half-width) characters",
        ));
    }
    let (second, fields) = five_fields(text)?;
    let quartz = text.split_whitespace().count() > 5;
    for (at, field) in fields.iter().enumerate() {
        check_field(at, field, quartz)?;
    }
    if ![DAY, WEEKDAY].iter().any(|at| is_open(fields[*at])) {
        return Err(fault(
            "day of the month and weekday together mean \"either\" to one program, and \"both\" to another",
            "write `*` for one of the two",
        ));
    }
    let cron = parse(&fields, quartz).map_err(|error| fault(format!("this is no cron expression: {error}"), FORM))?;
    let of_day = times_of_day(&cron, second);
    let [_, _, day, month, weekday] = fields;
    let dates = parse(&["0", "0", day, month, weekday], quartz).map_err(|error| fault(error.to_string(), FORM))?;
    let times = Times::cron(text, of_day, dates);
    // The rarest date, a leap day on a certain weekday, comes within forty years.
    let first = NaiveDate::from_ymd_opt(2000, 1, 1).unwrap_or_default();
    if !first.iter_days().take(41 * 366).any(|date| times.include(date)) {
        return Err(fault("no date is like this: it would never run", "look at day, month and weekday again"));
    }
    Ok(times)
}

const FORM: &str = "write five fields: minute, hour, day of the month, month, weekday, such as \"0 6 * * mon-fri\"";

fn fault(message: impl Into<String>, cure: impl Into<String>) -> CronFault {
    CronFault { message: message.into(), cure: cure.into() }
}

/// The second, and the five fields that POSIX has. Quartz has a second before them, and maybe a year behind.
fn five_fields(text: &str) -> Result<(u32, [&str; 5]), CronFault> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let (second, five, year) = match *fields.as_slice() {
        [minute, hour, day, month, weekday] => ("0", [minute, hour, day, month, weekday], "*"),
        [second, minute, hour, day, month, weekday] => (second, [minute, hour, day, month, weekday], "*"),
        [second, minute, hour, day, month, weekday, year] => (second, [minute, hour, day, month, weekday], year),
        _ => {
            let count = fields.len();
            return Err(fault(format!("a cron expression has five fields, and this one has {count}"), FORM));
        }
    };
    if fields.len() > 5 && ![DAY, WEEKDAY].iter().any(|at| five[*at] == "?") {
        return Err(fault(
            "six fields are Quartz's form, which has a `?` for the day of the month or for the weekday",
            format!("{FORM}; nothing here runs every few seconds"),
        ));
    }
    if year != "*" {
        return Err(fault("a year is not looked at", "leave the seventh field out"));
    }
    let number = (1..=2).contains(&second.len()) && second.bytes().all(|byte| byte.is_ascii_digit());
    match second.parse() {
        Ok(second @ 0..60) if number => Ok((second, five)),
        _ => Err(fault(
            format!("`{second}` is not a second: it is a number here, because nothing runs every few seconds"),
            "write `0` in the first field",
        )),
    }
}

/// The library's word on a field goes by field, so that the one that is wrong can be named.
fn check_field(at: usize, field: &str, quartz: bool) -> Result<(), CronFault> {
    let upper = field.to_ascii_uppercase();
    let mut words = upper.split(|found: char| !found.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    let mut alone = ["*"; 5];
    alone[at] = field;
    let is_any_day = field == "?" && [DAY, WEEKDAY].contains(&at);
    let good = is_any_day
        || (!field.contains(['?', '+', '@'])
            && !field.split(',').any(|item| item.is_empty() || item.starts_with('/'))
            && words.all(|word| FIELDS[at].words.contains(&word))
            && parse(&alone, quartz).is_ok());
    if good {
        return Ok(());
    }
    let Field { name, form, .. } = &FIELDS[at];
    let every_few = "; every so many are `*/5`, several are `2,14`";
    Err(fault(format!("`{field}` is not {name}"), format!("write {form}, or `*`{every_few}")))
}

/// `0/15` is Quartz's for `*/15`; to POSIX it means nothing.
fn parse(fields: &[&str; 5], quartz: bool) -> Result<Cron, croner::errors::CronError> {
    let parser = CronParser::builder().seconds(Seconds::Optional).year(Year::Disallowed).sloppy_ranges(quartz).build();
    parser.parse(&fields.join(" "))
}

fn is_open(field: &str) -> bool {
    matches!(field, "*" | "?")
}

fn times_of_day(cron: &Cron, second: u32) -> Vec<NaiveTime> {
    let hours = (0..24).filter(|hour| cron.pattern.hour_match(*hour).unwrap_or(false));
    let minutes: Vec<u32> = (0..60).filter(|minute| cron.pattern.minute_match(*minute).unwrap_or(false)).collect();
    hours
        .flat_map(|hour| minutes.iter().filter_map(move |minute| NaiveTime::from_hms_opt(hour, *minute, second)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first dates from Monday, 30 November 2026, and the times of day.
    fn of(text: &str) -> (Vec<String>, Vec<String>) {
        let times = parse_cron(text).unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
        let monday = NaiveDate::from_ymd_opt(2026, 11, 30).unwrap();
        let dates = monday.iter_days().filter(|date| times.include(*date)).take(3);
        let dates = dates.map(|date| date.format("%m-%d").to_string()).collect();
        (dates, times.of_day().iter().map(|time| time.format("%H:%M:%S").to_string()).collect())
    }

    fn dates(text: &str) -> Vec<String> {
        of(text).0
    }

    #[test]
    fn weekdays_are_counted_as_posix_does() {
        for monday_to_friday in ["0 6 * * 1-5", "0 6 * * MON-FRI", "0 0 6 ? * mon-fri", "0 6 ? * 1,2,3,4,5"] {
            assert_eq!(dates(monday_to_friday), ["11-30", "12-01", "12-02"], "{monday_to_friday}");
        }
        for sunday in ["0 6 * * 0", "0 6 * * 7", "0 6 * * sun", "0 0 6 ? * SUN *"] {
            assert_eq!(dates(sunday), ["12-06", "12-13", "12-20"], "{sunday}");
        }
        assert_eq!(dates("0 0 6 ? * 1"), ["11-30", "12-07", "12-14"], "1 is Monday in Quartz's form, too");
    }

    #[test]
    fn lists_ranges_and_steps_of_times() {
        assert_eq!(of("30 2,14 * * *").1, ["02:30:00", "14:30:00"]);
        assert_eq!(of("*/30 6-7 * * *").1, ["06:00:00", "06:30:00", "07:00:00", "07:30:00"]);
        assert_eq!(of("15 0/15 9-10 * * ?").1.len(), 8);
        assert_eq!(of("15 30 8 * * ?").1, ["08:30:15"]);
    }

    #[test]
    fn days_of_the_month() {
        assert_eq!(dates("0 6 L * ?"), ["11-30", "12-31", "01-31"]);
        assert_eq!(dates("0 6 1 * *"), ["12-01", "01-01", "02-01"]);
        assert_eq!(dates("0 0 6 ? * FRI#2"), ["12-11", "01-08", "02-12"]);
        assert_eq!(dates("0 6 * * friL"), ["12-25", "01-29", "02-26"]);
        assert_eq!(dates("0 6 29 2 *"), ["02-29", "02-29", "02-29"]);
        assert_eq!(dates("0 6 * feb 5#5").len(), 3, "a fifth Friday in February comes every 28 years");
    }

    #[test]
    fn what_is_refused() {
        let cases = [
            ("", "five fields, and this one has 0"),
            ("6", "five fields, and this one has 1"),
            ("0 6 * *", "five fields, and this one has 4"),
            ("@daily", "five fields, and this one has 1"),
            ("0/5 * * * * *", "six fields are Quartz's form"),
            ("0/5 * * * * ?", "`0/5` is not a second"),
            ("* * * * * ?", "`*` is not a second"),
            ("60 0 6 * * ?", "`60` is not a second"),
            ("0 0 6 ? * mon 2027", "a year is not looked at"),
            ("60 6 * * *", "`60` is not a minute"),
            ("0 24 * * *", "`24` is not an hour"),
            ("0 6 32 * *", "`32` is not a day of the month"),
            ("0 6 0 * *", "`0` is not a day of the month"),
            ("0 6 * 13 *", "`13` is not a month"),
            ("0 6 * * 8", "`8` is not a weekday"),
            ("0 6 * mon *", "`mon` is not a month"),
            ("0 6 * * jan", "`jan` is not a weekday"),
            ("0 6 * * monday", "`monday` is not a weekday"),
            ("0 6 * * fri-mon", "`fri-mon` is not a weekday"),
            ("? 6 * * *", "`?` is not a minute"),
            ("/5 6 * * *", "`/5` is not a minute"),
            ("0/5 6 * * *", "`0/5` is not a minute"),
            ("0 6 * * +5", "`+5` is not a weekday"),
            ("0 H * * *", "`H` is not an hour"),
            ("0,, 6 * * *", "is not a minute"),
            ("０ 6 * * *", "`０` does not belong"),
            ("0 6 13 * 5", "day of the month and weekday together"),
            ("0 6 */2 * 5", "day of the month and weekday together"),
            ("30 2 30 2 ?", "would never run"),
            ("0 6 31 4 *", "would never run"),
            ("0 6 * * L", "would never run"),
        ];
        for (text, message) in cases {
            let fault = parse_cron(text).expect_err(text);
            assert!(fault.message.contains(message), "{text}: {}", fault.message);
            assert!(!fault.cure.is_empty());
        }
    }

    proptest::proptest! {
        /// Whatever is written: refused, or times of day and a date on which they come.
        #[test]
        fn nothing_that_is_written_makes_it_panic(text in "([0-9*,/#?LWH+-]|mon|jan|FRI){1,4}( ([0-9*,/#?LWH+-]|mon|jan|FRI){1,4}){4,6}") {
            if let Ok(times) = parse_cron(&text) {
                assert!(!times.of_day().is_empty() && times.of_day().is_sorted(), "{text}");
            }
        }
    }
}
