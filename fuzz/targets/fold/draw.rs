//! From bytes to rules, times, events and answers.

use std::time::Duration;

use arbitrary::{Result, Unstructured};
use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, Utc};
use rust_decimal::Decimal;
use sunup::files::model::{Effect, Retry};
use sunup::run::{
    Answer, Event, Failure, FailureKind, Key, Lane, Next, Note, Passed, Reading, Rules, Source, Status, Which,
};
use sunup::timing::{Calendar, PeriodKind, Window};
use sunup::values::{Cell, Number, Row, Rows, Value};

/// The longest that the files' grammar has: 999999d.
const LONGEST: u64 = 999_999 * 86_400;

/// What is drawn; an error where the bytes have run out.
pub struct Draw<'d>(pub Unstructured<'d>);

impl Draw<'_> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn flag(&mut self) -> Result<bool> {
        self.0.arbitrary()
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> Result<usize> {
        self.0.int_in_range(0..=end - 1)
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> Result<T> {
        self.0.choose(choices).copied()
    }

    fn maybe<T>(&mut self, draw: impl FnOnce(&mut Self) -> Result<T>) -> Result<Option<T>> {
        if self.flag()? { draw(self).map(Some) } else { Ok(None) }
    }

    fn seconds(&mut self, extreme: bool, low: u64, high: u64) -> Result<Duration> {
        let range = if extreme { 1..=LONGEST } else { low..=high };
        self.0.int_in_range(range).map(Duration::from_secs)
    }

    /// Rules that a task file may give; extreme ones use the whole of the grammar, and may take centuries.
    pub fn rules(&mut self, extreme: bool) -> Result<Rules> {
        let kinds = [PeriodKind::Day, PeriodKind::Week, PeriodKind::Month, PeriodKind::Occurrence, PeriodKind::Once];
        let kind = self.one_of(&kinds)?;
        let slot: DateTime<Utc> = "2026-11-29T22:00:00Z".parse().expect("a time");
        let period = Calendar { zone: chrono_tz::Asia::Shanghai, starts_at: NaiveTime::MIN }.period(kind, slot);
        let window = Window { slot, until: slot + TimeDelta::minutes(self.0.int_in_range(1..=1_439)?) };
        let lane = Lane { site: "community".into(), account: "main".into() };
        let (attempts, series) = if extreme { (u32::MAX, u32::MAX) } else { (5, 4) };
        Ok(Rules {
            key: Key::new(&period, &lane, "checkin"),
            effect: self.one_of(&[Effect::Once, Effect::Repeatable])?,
            by_person: self.0.ratio(1, 8)?,
            verify_is_check: self.flag()?,
            counts: self.flag()?,
            settle: self.seconds(extreme, 1, 86_400)?,
            retry: Retry {
                attempts: self.0.int_in_range(1..=attempts)?,
                initial: self.seconds(extreme, 1, 3_600)?,
                again: self.seconds(extreme, 600, 86_400)?,
                series: self.0.int_in_range(1..=series)?,
            },
            commit_limit: self.seconds(extreme, 1, 300)?,
            window,
            closes_at: if kind == PeriodKind::Once { None } else { Some(window.until) },
            late_after: slot + TimeDelta::minutes(10),
            passed: self.passed(slot)?,
            period,
        })
    }

    /// What may be said of a slot that was passed.
    fn passed(&mut self, slot: DateTime<Utc>) -> Result<Passed> {
        let begin_by = self.maybe(|draw| Ok(slot + TimeDelta::minutes(draw.0.int_in_range(1..=1_439)?)))?;
        Ok(Passed {
            never: self.flag()?,
            begin_by,
            each: self.flag()?,
            first_waits: self.flag()?,
            queues: self.flag()?,
        })
    }

    /// Some time later, as a rule; a clock may step back, or sleep for months.
    pub fn later(&mut self, now: DateTime<Utc>) -> Result<DateTime<Utc>> {
        let step = match self.below(8)? {
            0 => 0,
            1 => self.0.int_in_range(-200_000i64..=0)?,
            2 => self.0.int_in_range(0i64..=5_000_000_000)?,
            _ => self.0.int_in_range(0i64..=200_000)?,
        };
        Ok(now + TimeDelta::milliseconds(step))
    }

    /// Any line of a ledger.
    pub fn event(&mut self) -> Result<Event> {
        Ok(match self.below(17)? {
            0 => Event::Started { source: self.one_of(&[Source::Schedule, Source::Hand, Source::Retry])? },
            1 | 2 => Event::Read { which: self.which()?, reading: self.reading()? },
            3 => Event::ReadFailed { which: self.which()?, failure: self.failure()? },
            4 => Event::Prepared { notes: self.notes()? },
            5 => Event::PrepareFailed { failure: self.failure()? },
            6 => Event::Halted { later: self.flag()?, reason: self.text()? },
            7 => {
                let generation = if self.0.ratio(1, 8)? { self.0.arbitrary()? } else { self.0.int_in_range(0..=9)? };
                Event::Intended { generation, unit: self.maybe(|draw| draw.decimal().map(|unit| unit.to_string()))? }
            }
            8 => Event::Committed { trouble: self.maybe(Self::failure)?, refused: self.maybe(Self::text)? },
            9 => Event::Released { reason: self.text()? },
            10 => Event::NotSent { failure: self.failure()? },
            11 => Event::Interrupted,
            12 => Event::NotTried { failure: self.failure()? },
            13 => Event::Asked { ticket: self.0.arbitrary()? },
            14 => Event::Doubted { loss: self.0.int_in_range(0..=9)? },
            15 => match self.flag()? {
                true => Event::Allowed { ticket: self.0.arbitrary()? },
                false => Event::Ordered { by: self.text()? },
            },
            _ => Event::Closed { status: self.one_of(&[Status::Skipped, Status::Dead])?, reason: self.text()? },
        })
    }

    /// What may come of this step of the loop; when nothing is left to draw, the page takes too long.
    pub fn answer(&mut self, next: &Next) -> Event {
        let failed = |draw: &mut Self| match draw.is_empty() {
            true => Failure::new(FailureKind::Timeout, "too long"),
            false => draw.failure().unwrap_or_else(|_| Failure::new(FailureKind::Timeout, "too long")),
        };
        let fails = self.0.ratio(1, 4).unwrap_or(true) || self.is_empty();
        match next {
            Next::Read(which) => match self.reading() {
                Ok(reading) if !fails => Event::Read { which: *which, reading },
                _ => Event::ReadFailed { which: *which, failure: failed(self) },
            },
            Next::Prepare if fails => Event::PrepareFailed { failure: failed(self) },
            Next::Prepare => match self.below(8) {
                Ok(0) => Event::Halted { later: self.flag().unwrap_or(true), reason: "not yet".to_owned() },
                _ => Event::Prepared { notes: Vec::new() },
            },
            Next::Commit if self.below(8) == Ok(1) => Event::NotSent { failure: failed(self) },
            Next::Commit if self.below(8) == Ok(2) => Event::Interrupted,
            Next::Commit => {
                let refused = self.maybe(Self::text).ok().flatten();
                Event::Committed { trouble: fails.then(|| failed(self)), refused }
            }
            Next::Ask => Event::Asked { ticket: 1 },
            Next::AskInDoubt => Event::Allowed { ticket: 1 },
            Next::Close(status, reason) => Event::Closed { status: *status, reason: reason.clone() },
            other => unreachable!("the loop itself does {other:?}"),
        }
    }

    fn which(&mut self) -> Result<Which> {
        self.one_of(&[Which::Check, Which::Baseline, Which::Verify, Which::SignIn])
    }

    fn reading(&mut self) -> Result<Reading> {
        let answer = match self.below(8)? {
            0 => Answer::Done,
            1 | 2 => Answer::Todo,
            3 => Answer::NotYet,
            4 | 5 => Answer::Goal { have: self.decimal()?, want: self.maybe(Self::decimal)? },
            6 if self.flag()? => Answer::Skip(self.text()?),
            6 => Answer::Later(self.text()?),
            _ => Answer::Reads,
        };
        let values = self.maybe(|draw| Ok([("value".to_owned(), draw.value(true)?)].into()))?;
        Ok(Reading { answer, values: values.unwrap_or_default(), notes: self.notes()? })
    }

    fn value(&mut self, rows: bool) -> Result<Value> {
        Ok(match self.below(7)? {
            0 => Value::None,
            1 => Value::Text(self.text()?),
            2 => Value::Number(Number { value: self.decimal()?, rounded: self.flag()? }),
            3 => Value::Boolean(self.flag()?),
            4 => Value::Time(self.time()?),
            5 => Value::Date(self.time()?.date_naive()),
            _ if rows => {
                let cell = if self.flag()? { Cell::Value(self.value(false)?) } else { Cell::Unreadable(self.text()?) };
                Value::Rows(Rows { rows: vec![Row { cells: [("cell".to_owned(), cell)].into() }], read: 1 })
            }
            _ => Value::Date(NaiveDate::MIN),
        })
    }

    fn failure(&mut self) -> Result<Failure> {
        let mut failure = Failure::new(self.one_of(&FailureKind::ALL)?, "seen");
        failure.step = self.maybe(|draw| draw.one_of(&["a:1:1 click", "a:2:1 open"]))?.map(str::to_owned);
        failure.rule = self.maybe(|draw| draw.one_of(&["period_over", "site-clock"]))?.map(str::to_owned);
        failure.retry_at = self.maybe(Self::time)?;
        Ok(failure)
    }

    /// Any time that a page can name: years of four digits.
    fn time(&mut self) -> Result<DateTime<Utc>> {
        let milliseconds = self.0.int_in_range(-62_167_219_200_000i64..=253_402_300_799_999)?;
        Ok(DateTime::from_timestamp_millis(milliseconds).unwrap_or_default())
    }

    fn decimal(&mut self) -> Result<Decimal> {
        if self.0.ratio(7, 8)? {
            return Ok(Decimal::from(self.0.int_in_range(0..=5)?));
        }
        Ok(Decimal::from_parts(self.0.arbitrary()?, self.0.arbitrary()?, self.0.arbitrary()?, self.flag()?, 28))
    }

    fn notes(&mut self) -> Result<Vec<Note>> {
        Ok(self.maybe(Self::text)?.map(Note::Notice).into_iter().collect())
    }

    fn text(&mut self) -> Result<String> {
        self.one_of(&["", "a", "晨报", "\u{0}\"\\"]).map(str::to_owned)
    }
}
