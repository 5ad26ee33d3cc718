//! Intents: the durable record, written just before a commit step, that it is about to happen.

use chrono::{DateTime, NaiveDate, Utc};
use rusqlite::{Connection, params};

use super::keys::append_in;
use super::leases::is_newest;
use super::stamp::stamp;
use super::store::Statements;
use super::tickets::{SiteWait, suspended_by, waits_in};
use super::{Lease, Ledger, LedgerError};
use crate::run::{Event, Key, Lane, TaskRun};

/// What became of an intent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IntentAnswer {
    /// It is on disk: the commit step may happen, once.
    Written,
    /// The lease is no longer ours.
    LeaseLost,
    /// A ticket suspends the account or its site.
    Suspended(i64),
    /// The site asked to be left alone.
    Waits(SiteWait),
    /// This generation of the key has one already.
    Taken,
}

impl Ledger {
    /// Writes the intent of a key (for a goal: of its unit) and its event, if the lease is still ours, nothing suspends
    /// the lane, and this generation has none yet. One transaction.
    pub fn intend(
        &self,
        run: &str,
        key: &Key,
        lease: &Lease,
        at: DateTime<Utc>,
        event: &Event,
        after: &TaskRun,
    ) -> Result<IntentAnswer, LedgerError> {
        let Event::Intended { generation, unit } = event else { return Ok(IntentAnswer::Taken) };
        let intent_key = unit.as_ref().map_or_else(|| key.clone(), |have| key.unit(have));
        let answer = self.write(|transaction| {
            if let Some(no) = forbidden(transaction, lease, at)? {
                return Ok(no);
            }
            let written = transaction.execute_cached(
                "INSERT OR IGNORE INTO intents (key, generation, at, run, token, state)
                 VALUES (?1, ?2, ?3, ?4, ?5, 'intended')",
                params![intent_key.as_str(), generation, stamp(at), run, lease.token],
            )?;
            if written == 0 {
                return Ok(IntentAnswer::Taken);
            }
            append_in(transaction, run, key, at, event, after)?;
            Ok(IntentAnswer::Written)
        })?;
        self.leave_mark()?;
        Ok(answer)
    }

    /// Writes down what became of the key's newest intent, with its event; false, and nothing, when another runner has
    /// taken the lane over: it has counted the intent as sent.
    pub fn settle_intent(
        &self,
        run: &str,
        key: &Key,
        lease: &Lease,
        at: DateTime<Utc>,
        event: &Event,
        after: &TaskRun,
    ) -> Result<bool, LedgerError> {
        // A released one was sent, and the site refused it: it frees its generation like one that was not sent.
        let state = if matches!(event, Event::Committed { .. }) { "sent" } else { "not_sent" };
        let before = if matches!(event, Event::Released { .. }) { "sent" } else { "intended" };
        self.write(|transaction| {
            if !is_newest(transaction, lease)? {
                return Ok(false);
            }
            transaction.execute_cached(
                "UPDATE intents SET state = ?2 WHERE state = ?3 AND rowid =
                     (SELECT max(rowid) FROM intents WHERE key = ?1 OR (key > ?1 || '#' AND key < ?1 || '$'))",
                params![key.as_str(), state, before],
            )?;
            append_in(transaction, run, key, at, event, after)?;
            Ok(true)
        })
    }

    // A unit's key is `<key>#<have>`, and `$` is the sign after `#`: a range of the index, where a pattern reads every row.

    /// Intents that were, or may have been, dispatched for this key and its units.
    pub fn sent_intents(&self, key: &Key) -> Result<u32, LedgerError> {
        self.read(|connection| {
            connection.query_row_cached(
                "SELECT count(*) FROM intents
                 WHERE state <> 'not_sent' AND (key = ?1 OR (key > ?1 || '#' AND key < ?1 || '$'))",
                [key.as_str()],
                |row| row.get(0),
            )
        })
    }

    /// Sign-in submissions of an account in one day of its site. One whose answer was never read counts.
    pub fn submissions(&self, lane: &Lane, day: NaiveDate) -> Result<u32, LedgerError> {
        self.read(|connection| submissions_in(connection, lane, day))
    }

    /// Writes down that a sign-in form is about to be submitted, under the same conditions as any intent, and only while
    /// fewer than `limit` were submitted in this day of the site.
    pub fn intend_sign_in(
        &self,
        run: &str,
        lease: &Lease,
        day: NaiveDate,
        limit: u32,
        at: DateTime<Utc>,
    ) -> Result<IntentAnswer, LedgerError> {
        self.write(|transaction| {
            if let Some(no) = forbidden(transaction, lease, at)? {
                return Ok(no);
            }
            if submissions_in(transaction, &lease.lane, day)? >= limit {
                return Ok(IntentAnswer::Taken);
            }
            transaction.execute_cached(
                "INSERT INTO sign_ins (site, account, day, at, run, token, state)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'intended')",
                params![lease.lane.site, lease.lane.account, day.to_string(), stamp(at), run, lease.token],
            )?;
            Ok(IntentAnswer::Written)
        })
    }

    /// Writes down what became of the last sign-in submission that was written under this lease. That of a runner which has
    /// taken the lane over since is its own to tell of.
    pub fn settle_sign_in(&self, lease: &Lease, sent: bool) -> Result<(), LedgerError> {
        self.write(|transaction| {
            transaction.execute_cached(
                "UPDATE sign_ins SET state = ?4 WHERE state = 'intended' AND id =
                     (SELECT max(id) FROM sign_ins WHERE site = ?1 AND account = ?2 AND token = ?3)",
                params![lease.lane.site, lease.lane.account, lease.token, if sent { "sent" } else { "not_sent" }],
            )?;
            Ok(())
        })
    }
}

fn submissions_in(connection: &Connection, lane: &Lane, day: NaiveDate) -> rusqlite::Result<u32> {
    connection.query_row_cached(
        "SELECT count(*) FROM sign_ins WHERE site = ?1 AND account = ?2 AND day = ?3 AND state <> 'not_sent'",
        params![lane.site, lane.account, day.to_string()],
        |row| row.get(0),
    )
}

fn forbidden(transaction: &Connection, lease: &Lease, at: DateTime<Utc>) -> rusqlite::Result<Option<IntentAnswer>> {
    if !is_newest(transaction, lease)? {
        return Ok(Some(IntentAnswer::LeaseLost));
    }
    if let Some(number) = suspended_by(transaction, &lease.lane)? {
        return Ok(Some(IntentAnswer::Suspended(number)));
    }
    Ok(waits_in(transaction, &lease.lane.site, at)?.map(IntentAnswer::Waits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{Holder, KeyRow, LeaseAnswer, Ticket};
    use crate::run::{Failure, FailureKind, Status};
    use crate::timing::{Calendar, PeriodKind, Window};

    struct Desk {
        ledger: Ledger,
        key: Key,
        lease: Lease,
        now: DateTime<Utc>,
        folder: tempfile::TempDir,
    }

    fn lane() -> Lane {
        Lane { site: "community".into(), account: "main".into() }
    }

    fn lease(ledger: &Ledger, host: &str, now: DateTime<Utc>) -> Lease {
        let holder = Holder { host: host.into(), ..Holder::this() };
        match ledger.take_lease(&lane(), &holder, now).unwrap() {
            LeaseAnswer::Taken(lease) => lease,
            LeaseAnswer::Held(other) => panic!("held by {other}"),
        }
    }

    impl Desk {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let ledger = Ledger::open(folder.path()).unwrap();
            let now: DateTime<Utc> = "2026-11-29T22:00:00Z".parse().unwrap();
            let calendar = Calendar { zone: chrono_tz::Asia::Shanghai, starts_at: chrono::NaiveTime::MIN };
            let period = calendar.period(PeriodKind::Day, now);
            let window = Window { slot: now, until: now + chrono::TimeDelta::hours(17) };
            let key = Key::new(&period, &lane(), "checkin");
            let row = KeyRow {
                key: key.clone(),
                lane: lane(),
                task: "checkin".into(),
                period,
                window,
                report_date: period.day,
            };
            ledger.open_key(&row, now).unwrap();
            let lease = lease(&ledger, "here", now);
            Desk { ledger, key, lease, now, folder }
        }

        fn intend(&self, generation: u32, unit: Option<&str>) -> IntentAnswer {
            let event = Event::Intended { generation, unit: unit.map(str::to_owned) };
            self.ledger.intend("run", &self.key, &self.lease, self.now, &event, &TaskRun::default()).unwrap()
        }

        fn settle(&self, event: &Event) {
            assert!(
                self.ledger.settle_intent("run", &self.key, &self.lease, self.now, event, &TaskRun::default()).unwrap()
            );
        }
    }

    #[test]
    fn one_for_each_generation_and_unit() {
        let desk = Desk::new();
        assert_eq!(desk.intend(0, None), IntentAnswer::Written);
        assert_eq!(desk.intend(0, None), IntentAnswer::Taken);
        assert_eq!(desk.intend(1, None), IntentAnswer::Written);
        assert_eq!(desk.intend(0, Some("2")), IntentAnswer::Written);
        assert_eq!(desk.intend(0, Some("2")), IntentAnswer::Taken);
        assert_eq!(desk.ledger.events(&desk.key).unwrap().len(), 3, "a refused one leaves no event");
    }

    #[test]
    fn many_at_once_write_one() {
        let desk = Desk::new();
        let written = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        let ledger = Ledger::open(desk.folder.path()).unwrap();
                        let event = Event::Intended { generation: 0, unit: None };
                        let state = TaskRun::default();
                        ledger.intend("run", &desk.key, &desk.lease, desk.now, &event, &state).unwrap()
                    })
                })
                .collect();
            let answers = threads.into_iter().map(|thread| thread.join().unwrap());
            answers.filter(|answer| *answer == IntentAnswer::Written).count()
        });
        assert_eq!(written, 1);
    }

    #[test]
    fn none_under_a_lease_that_was_taken_over() {
        let desk = Desk::new();
        lease(&desk.ledger, "elsewhere", desk.now + chrono::TimeDelta::days(1));
        assert_eq!(desk.intend(0, None), IntentAnswer::LeaseLost);
        let day = desk.now.date_naive();
        let answer = desk.ledger.intend_sign_in("run", &desk.lease, day, 2, desk.now).unwrap();
        assert_eq!(answer, IntentAnswer::LeaseLost);
    }

    #[test]
    fn none_under_a_ticket_of_the_account_or_of_the_whole_site() {
        for (kind, account) in [(FailureKind::Captcha, "main"), (FailureKind::AccessDenied, "other")] {
            let desk = Desk::new();
            let ticket = Ticket {
                lane: Lane { account: account.into(), ..lane() },
                failure: Some(Failure::new(kind, "seen")),
                task: None,
                arose: None,
                text: "seen".into(),
                fingerprint: None,
            };
            let number = desk.ledger.open_ticket(&ticket, desk.now).unwrap();
            assert_eq!(desk.ledger.open_ticket(&ticket, desk.now).unwrap(), number, "one for each kind");
            assert_eq!(desk.intend(0, None), IntentAnswer::Suspended(number), "{kind}");
            assert!(desk.ledger.close_ticket(number, "a person", desk.now).unwrap());
            assert_eq!(desk.intend(0, None), IntentAnswer::Written, "{kind}");
        }
    }

    #[test]
    fn none_while_the_site_asked_to_be_left_alone_whichever_account_was_told() {
        let desk = Desk::new();
        let until = desk.now + chrono::TimeDelta::hours(1);
        let failure = Failure::new(FailureKind::RateLimited, "seen");
        desk.ledger.site_waits(&lane().site, until, &failure).unwrap();
        let waits = IntentAnswer::Waits(SiteWait { until, kind: "rate_limited".into() });
        assert_eq!(desk.intend(0, None), waits);
        let submit =
            |at: DateTime<Utc>| desk.ledger.intend_sign_in("run", &desk.lease, desk.now.date_naive(), 2, at).unwrap();
        assert_eq!(submit(desk.now), waits);
        assert_eq!(submit(until), IntentAnswer::Written, "its time is over");
    }

    #[test]
    fn what_was_proved_not_sent_does_not_count_and_what_was_never_answered_does() {
        let desk = Desk::new();
        desk.intend(0, None);
        assert_eq!(desk.ledger.sent_intents(&desk.key).unwrap(), 1, "unanswered");
        desk.settle(&Event::NotSent { failure: Failure::new(FailureKind::NotRendered, "covered") });
        assert_eq!(desk.ledger.sent_intents(&desk.key).unwrap(), 0);
        desk.intend(1, Some("3"));
        desk.settle(&Event::Committed { trouble: None, refused: None });
        assert_eq!(desk.ledger.sent_intents(&desk.key).unwrap(), 1);
    }

    #[test]
    fn one_that_was_sent_and_refused_counts_until_it_is_released() {
        let desk = Desk::new();
        desk.intend(0, None);
        desk.settle(&Event::Committed { trouble: None, refused: Some("full".into()) });
        assert_eq!(desk.ledger.sent_intents(&desk.key).unwrap(), 1);
        desk.settle(&Event::Released { reason: "full".into() });
        assert_eq!(desk.ledger.sent_intents(&desk.key).unwrap(), 0);
        assert_eq!(desk.intend(0, None), IntentAnswer::Taken, "its generation is spent");
        assert_eq!(desk.intend(1, None), IntentAnswer::Written);
    }

    #[test]
    fn a_key_that_a_person_opens_again_is_open() {
        let desk = Desk::new();
        let append = |event: Event, status| {
            let mut after = TaskRun::default();
            after.status = status;
            desk.ledger.append("run", &desk.key, desk.now, &event, &after).unwrap();
            desk.ledger.open_keys().unwrap().len()
        };
        assert_eq!(append(Event::Closed { status: Status::Dead, reason: "no_effect".into() }, Status::Dead), 0);
        assert_eq!(append(Event::Ordered { by: "a person".into() }, Status::Pending), 1);
    }

    #[test]
    fn units_are_those_of_their_own_key() {
        let mut desk = Desk::new();
        let first = desk.key.clone();
        desk.intend(0, None);
        desk.intend(0, Some("1"));
        let longer = Key::from_ledger(format!("{first}2"));
        let row = KeyRow { key: longer.clone(), ..desk.ledger.key(&first).unwrap().unwrap().row };
        desk.ledger.open_key(&row, desk.now).unwrap();
        desk.key = longer.clone();
        desk.intend(0, None);
        desk.intend(0, Some("1"));
        desk.intend(0, Some("2"));
        assert_eq!(desk.ledger.sent_intents(&first).unwrap(), 2, "not those of a key that only begins like it");
        assert_eq!(desk.ledger.sent_intents(&longer).unwrap(), 3);
        assert_eq!(desk.ledger.last_event_at(&first).unwrap(), Some(desk.now));
    }

    #[test]
    fn two_sign_ins_a_day_and_one_whose_answer_was_never_read_counts() {
        let desk = Desk::new();
        let (day, lease) = (desk.now.date_naive(), &desk.lease);
        let submit = || desk.ledger.intend_sign_in("run", lease, day, 2, desk.now).unwrap();
        assert_eq!(submit(), IntentAnswer::Written);
        desk.ledger.settle_sign_in(lease, false).unwrap();
        assert_eq!(desk.ledger.submissions(&lane(), day).unwrap(), 0, "it was not sent");
        assert_eq!(submit(), IntentAnswer::Written);
        assert_eq!(submit(), IntentAnswer::Written);
        assert_eq!(submit(), IntentAnswer::Taken);
        desk.ledger.settle_sign_in(lease, false).unwrap();
        assert_eq!(desk.ledger.submissions(&lane(), day).unwrap(), 1, "only the newest was proved not sent");
        let tomorrow = day.succ_opt().unwrap();
        assert_eq!(desk.ledger.submissions(&lane(), tomorrow).unwrap(), 0);
    }

    #[test]
    fn a_runner_that_was_overtaken_tells_nothing_of_the_sign_in_of_the_next() {
        let desk = Desk::new();
        let day = desk.now.date_naive();
        let later = desk.now + chrono::TimeDelta::days(1);
        let next = lease(&desk.ledger, "elsewhere", later);
        assert_eq!(desk.ledger.intend_sign_in("next", &next, day, 2, later).unwrap(), IntentAnswer::Written);
        desk.ledger.settle_sign_in(&desk.lease, false).unwrap();
        assert_eq!(desk.ledger.submissions(&lane(), day).unwrap(), 1, "what the next one submits counts");
        desk.ledger.settle_sign_in(&next, false).unwrap();
        assert_eq!(desk.ledger.submissions(&lane(), day).unwrap(), 0);
    }
}
