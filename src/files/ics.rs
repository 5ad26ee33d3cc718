//! A calendar file (`.ics`): from its bytes to holidays and make-up workdays. A library reads the events; it takes whatever
//! it is given, so that what is no whole calendar is refused here.

use std::collections::BTreeMap;

use calcard::common::timezone::Tz as EventZone;
use calcard::icalendar::dates::TimeOrDelta;
use calcard::icalendar::{ICalendar, ICalendarComponent, ICalendarProperty, ICalendarStatus};
use calcard::{Entry, Parser};
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone};
use chrono_tz::Tz;

use crate::timing::Holidays;

/// A yearly rule without an end is followed for so many years.
const INSTANCES: usize = 400;

/// No holiday lasts longer.
const LONGEST: usize = 366;

/// What an event says of its days.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Holiday,
    Workday,
}

/// Reads a calendar file; `name` is the calendar's own in `calendars:`, and `zone` the runner's.
pub(super) fn holidays(name: &str, bytes: &[u8], zone: Tz) -> Result<Holidays, String> {
    let text = text(bytes)?;
    is_whole(&text)?;
    let events = events(&text)?;
    // Where holidays are marked as such, what is not is an observance (Mother's Day). Where nothing is, all are holidays.
    let marked = events.iter().any(|event| mark(&event.component).is_some());
    let mut holidays = Holidays::named(name);
    for event in &events {
        let mark = mark(&event.component).or((!marked).then_some(Mark::Holiday));
        let days = days(event, zone)?;
        match mark {
            Some(Mark::Holiday) => days.into_iter().for_each(|day| holidays.add_holiday(day, title(&event.component))),
            Some(Mark::Workday) => days.into_iter().for_each(|day| holidays.add_workday(day)),
            None => {}
        }
    }
    if holidays.is_empty() { Err("it holds no event".to_owned()) } else { Ok(holidays) }
}

/// Lines are folded in the middle of a character, too: they are joined before the bytes are read as text.
fn text(bytes: &[u8]) -> Result<String, String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err("it is empty".to_owned());
    }
    let mut unfolded = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(&byte) = rest.first() {
        let fold = [&b"\r\n "[..], b"\r\n\t", b"\n ", b"\n\t"].into_iter().find(|fold| rest.starts_with(fold));
        let taken = fold.map_or(1, <[u8]>::len);
        if fold.is_none() {
            unfolded.push(byte);
        }
        rest = &rest[taken..];
    }
    Ok(String::from_utf8(unfolded).unwrap_or_else(|error| {
        let (text, _, _) = encoding_rs::GB18030.decode(error.as_bytes());
        text.into_owned()
    }))
}

/// Refuses what is no calendar, or only its beginning.
fn is_whole(text: &str) -> Result<(), String> {
    let lines = || text.lines().map(|line| line.trim().to_ascii_uppercase()).filter(|line| !line.is_empty());
    let count = |wanted: &str| lines().filter(|line| line == wanted).count();
    if text.trim_start().starts_with('<') {
        return Err("it is a web page (an error message, or a form to sign in)".to_owned());
    }
    let (begun, ended) = (count("BEGIN:VCALENDAR"), count("END:VCALENDAR"));
    if begun == 0 {
        return Err("it is no calendar: `BEGIN:VCALENDAR` is missing".to_owned());
    }
    let events = (count("BEGIN:VEVENT"), count("END:VEVENT"));
    if begun != ended || events.0 != events.1 || lines().next_back().as_deref() != Some("END:VCALENDAR") {
        return Err("it is cut off: it does not end with `END:VCALENDAR`".to_owned());
    }
    Ok(())
}

/// One event that was not cancelled, or one instance of it.
struct Event {
    component: ICalendarComponent,
    start: DateTime<EventZone>,
    end: TimeOrDelta<DateTime<EventZone>, TimeDelta>,
}

fn events(text: &str) -> Result<Vec<Event>, String> {
    let mut parser = Parser::new(text);
    let mut all = Vec::new();
    loop {
        match parser.entry() {
            Entry::ICalendar(calendar) => {
                for calendar in by_uid(calendar) {
                    expand(calendar, &mut all)?;
                }
            }
            Entry::Eof => return Ok(all),
            Entry::TooManyComponents => return Err("it is too large".to_owned()),
            // A line that nobody understands does no harm: the ends were counted.
            _ => {}
        }
    }
}

/// Each event with its own exceptions, so that a rule without an end does not take the place of others.
fn by_uid(calendar: ICalendar) -> Vec<ICalendar> {
    let (events, others): (Vec<_>, Vec<_>) =
        calendar.components.into_iter().partition(|part| part.component_type.is_event());
    let mut groups: BTreeMap<(String, usize), Vec<ICalendarComponent>> = BTreeMap::new();
    for (at, event) in events.into_iter().enumerate() {
        let group = event.uid().map_or((String::new(), at), |uid| (uid.to_owned(), 0));
        groups.entry(group).or_default().push(event);
    }
    let with_zones =
        |events: Vec<_>| ICalendar { components: events.into_iter().chain(others.iter().cloned()).collect() };
    groups.into_values().map(with_zones).collect()
}

fn expand(calendar: ICalendar, all: &mut Vec<Event>) -> Result<(), String> {
    let expanded = calendar.expand_dates(EventZone::Floating, INSTANCES);
    if let Some(error) = expanded.errors.first() {
        let title = calendar.components.get(error.comp_id as usize).map_or("", |component| title(component));
        return Err(format!("the date of its event `{title}` cannot be read: {}", error.error));
    }
    for instance in expanded.events {
        let Some(component) = calendar.components.get(instance.comp_id as usize) else { continue };
        if component.component_type.is_event() && component.status() != Some(&ICalendarStatus::Cancelled) {
            all.push(Event { component: component.clone(), start: instance.start, end: instance.end });
        }
    }
    Ok(())
}

fn title(component: &ICalendarComponent) -> &str {
    let text = component.property(&ICalendarProperty::Summary).and_then(|entry| entry.values.first()?.as_text());
    text.unwrap_or("").trim()
}

/// Apple's own property, else 休 or 班 in the title: 调休上班 is work.
fn mark(component: &ICalendarComponent) -> Option<Mark> {
    let apple = component.property(&ICalendarProperty::Other("X-APPLE-SPECIAL-DAY".to_owned()));
    match apple.and_then(|entry| entry.values.first()?.as_text()) {
        Some("WORK-HOLIDAY") => return Some(Mark::Holiday),
        Some("ALTERNATE-WORKDAY") => return Some(Mark::Workday),
        _ => {}
    }
    let title = title(component);
    if title.contains('班') { Some(Mark::Workday) } else { title.contains('休').then_some(Mark::Holiday) }
}

/// The days of an event in the runner's zone; a date without a zone is a date everywhere.
fn days(event: &Event, zone: Tz) -> Result<Vec<NaiveDate>, String> {
    let start = local(&event.start, zone);
    let end = match &event.end {
        TimeOrDelta::Time(end) => local(end, zone),
        TimeOrDelta::Delta(length) => start.checked_add_signed(*length).unwrap_or(start),
    };
    // The end is no part of it.
    let last = if end.time() == NaiveTime::MIN { end.date().pred_opt().unwrap_or(end.date()) } else { end.date() };
    let last = last.max(start.date());
    let days: Vec<_> = start.date().iter_days().take_while(|day| *day <= last).take(LONGEST + 1).collect();
    match days.len() > LONGEST {
        true => Err(format!("its event `{}` lasts longer than a year", title(&event.component))),
        false => Ok(days),
    }
}

fn local(instant: &DateTime<EventZone>, zone: Tz) -> NaiveDateTime {
    match instant.timezone().is_floating() {
        true => instant.naive_local(),
        false => zone.from_utc_datetime(&instant.naive_utc()).naive_local(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHANGHAI: Tz = chrono_tz::Asia::Shanghai;

    fn calendar(events: &str) -> String {
        format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{events}END:VCALENDAR\r\n")
    }

    fn event(lines: &[&str]) -> String {
        format!("BEGIN:VEVENT\r\n{}\r\nEND:VEVENT\r\n", lines.join("\r\n"))
    }

    fn date(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    /// The days of October 2026: `-` for a holiday, `+` for a make-up workday, `.` for the others.
    fn october(bytes: &[u8]) -> String {
        let holidays = holidays("cn", bytes, SHANGHAI).unwrap();
        let show = |day: NaiveDate| match (holidays.holiday(day), holidays.is_workday(day)) {
            (Some(_), _) => '-',
            (None, true) if ["Sat", "Sun"].contains(&day.format("%a").to_string().as_str()) => '+',
            _ => '.',
        };
        date("2026-10-01").iter_days().take(12).map(show).collect()
    }

    #[test]
    fn marks_in_the_title_and_observances_beside_them() {
        let text = calendar(
            &[
                event(&["SUMMARY:国庆节（休）", "DTSTART;VALUE=DATE:20261001", "DTEND;VALUE=DATE:20261008"]),
                event(&["SUMMARY:国庆节（班）", "DTSTART;VALUE=DATE:20261010"]),
                event(&["SUMMARY:重阳节", "DTSTART;VALUE=DATE:20261009"]),
                event(&["SUMMARY:寒露（休）", "DTSTART;VALUE=DATE:20261012", "STATUS:CANCELLED"]),
            ]
            .concat(),
        );
        assert_eq!(october(text.as_bytes()), "-------..+..");
        assert_eq!(october(text.replace("\r\n", "\n").as_bytes()), "-------..+..", "line feeds alone");
        assert_eq!(october(format!("\u{feff}{text}\n\n").as_bytes()), "-------..+..", "a byte order mark, blank lines");
        let (gbk, _, _) = encoding_rs::GB18030.encode(&text);
        assert_eq!(october(&gbk), "-------..+..", "GB18030");
    }

    #[test]
    fn apples_own_marks_go_before_the_title() {
        let text = calendar(
            &[
                event(&["SUMMARY:国庆节", "DTSTART;VALUE=DATE:20261001", "X-APPLE-SPECIAL-DAY:WORK-HOLIDAY"]),
                event(&["SUMMARY:国庆节", "DTSTART;VALUE=DATE:20261010", "X-APPLE-SPECIAL-DAY:ALTERNATE-WORKDAY"]),
                event(&["SUMMARY:休渔节", "DTSTART;VALUE=DATE:20261010", "X-APPLE-SPECIAL-DAY:ALTERNATE-WORKDAY"]),
                event(&["SUMMARY:国庆节 调休上班", "DTSTART;VALUE=DATE:20261011"]),
                event(&["SUMMARY:母亲节", "DTSTART;VALUE=DATE:20261006"]),
            ]
            .concat(),
        );
        assert_eq!(october(text.as_bytes()), "-........++.");
    }

    #[test]
    fn without_marks_every_event_is_a_holiday() {
        let text = calendar(&event(&["SUMMARY:Tag der Deutschen Einheit", "DTSTART;VALUE=DATE:20261003"]));
        assert_eq!(october(text.as_bytes()), "..-.........");
    }

    #[test]
    fn folds_inside_a_character_durations_and_times_with_a_zone() {
        let folded = event(&["SUMMARY:国庆节（休）", "DTSTART;VALUE=DATE:20261001", "DURATION:P3D"]);
        let bytes = calendar(&folded).into_bytes();
        let at = bytes.windows(3).position(|three| three == "庆".as_bytes()).unwrap() + 1;
        let bytes = [&bytes[..at], b"\r\n ", &bytes[at..]].concat();
        assert_eq!(october(&bytes), "---.........");
        assert_eq!(holidays("cn", &bytes, SHANGHAI).unwrap().holiday(date("2026-10-01")), Some("国庆节（休）"));
        let utc = event(&["SUMMARY:休", "DTSTART:20260930T160000Z", "DTEND:20261002T160000Z"]);
        assert_eq!(october(calendar(&utc).as_bytes()), "--..........");
        let outlook = event(&[
            "SUMMARY:休",
            "DTSTART;TZID=\"China Standard Time\":20261001T000000",
            "DTEND;TZID=\"China Standard Time\":20261003T000000",
        ]);
        assert_eq!(october(calendar(&outlook).as_bytes()), "--..........");
    }

    #[test]
    fn yearly_rules_with_exceptions_and_without_an_end() {
        let text = calendar(
            &[
                event(&["UID:a", "SUMMARY:休", "DTSTART;VALUE=DATE:19491001", "RRULE:FREQ=YEARLY"]),
                event(&[
                    "UID:b",
                    "SUMMARY:休",
                    "DTSTART;VALUE=DATE:20201005",
                    "RRULE:FREQ=YEARLY",
                    "EXDATE;VALUE=DATE:20261005",
                ]),
                event(&["UID:c", "SUMMARY:休", "DTSTART;VALUE=DATE:20201006", "RRULE:FREQ=YEARLY"]),
            ]
            .concat(),
        );
        assert_eq!(october(text.as_bytes()), "-....-......");
    }

    #[test]
    fn two_calendars_in_one_file_and_a_line_that_nobody_understands() {
        let one = calendar(&event(&["SUMMARY:休", "DTSTART;VALUE=DATE:20261001", "garbage"]));
        let two = calendar(&event(&["SUMMARY:休", "DTSTART;VALUE=DATE:20261002"]))
            .to_lowercase()
            .replace("dtstart", "DTSTART");
        assert_eq!(october(format!("{one}{two}").as_bytes()), "--..........");
    }

    #[test]
    fn what_is_no_whole_calendar_is_refused() {
        let good = calendar(&event(&["SUMMARY:国庆节（休）", "DTSTART;VALUE=DATE:20261001"]));
        let cases = [
            (String::new(), "it is empty"),
            ("\u{feff} \r\n".to_owned(), "it is empty"),
            ("<!DOCTYPE html><html><body>404</body></html>".to_owned(), "it is a web page"),
            ("not found\n".to_owned(), "`BEGIN:VCALENDAR` is missing"),
            (good[..good.len() - 20].to_owned(), "it is cut off"),
            (good.replace("END:VEVENT\r\n", ""), "it is cut off"),
            (calendar(""), "it holds no event"),
            (good.replace("20261001", "20261301"), "the date of its event `国庆节（休）`"),
            (good.replace("DTSTART;VALUE=DATE:20261001", "LOCATION:x"), "the date of its event `国庆节（休）`"),
        ];
        for (text, why) in cases {
            let error = holidays("cn", text.as_bytes(), SHANGHAI).unwrap_err();
            assert!(error.contains(why), "{why}: {error}");
        }
        for length in 1..good.len() - 2 {
            assert!(holidays("cn", &good.as_bytes()[..length], SHANGHAI).is_err(), "the first {length} bytes");
        }
    }

    proptest::proptest! {
        /// A calendar with a piece of it replaced by anything: refused, or read.
        #[test]
        fn no_bytes_make_it_panic(at in 0usize..200, length in 0usize..40, piece: Vec<u8>) {
            let event = event(&["UID:a", "SUMMARY:国庆节（休）", "DTSTART;VALUE=DATE:20261001", "RRULE:FREQ=YEARLY;COUNT=3", "DURATION:P3D"]);
            let mut bytes = calendar(&event).into_bytes();
            let from = at.min(bytes.len());
            bytes.splice(from..(from + length).min(bytes.len()), piece);
            let _ = holidays("cn", &bytes, SHANGHAI);
        }
    }
}
