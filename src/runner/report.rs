//! The report's data, collected from the ledger.

use anyhow::Result;
use chrono::{DateTime, NaiveDate, Utc};

use super::calendars::calendar_troubles;
use super::commands::{Commands, sign_in_helps};
use super::doubt::losses_of;
use super::plan::Planned;
use super::points::FEED;
use super::shared_key::{sharing, told_beside};
use crate::files::model::{Act, Project};
use crate::ledger::{Ledger, OpenTicket, StatusLine, StoredRow};
use crate::report::{
    AccountPoints, Alert, Amount, Expected, NextRun, PointRow, PointsRead, Reason, Rehearsal, Report, TaskRun, Ticket,
};
use crate::run::{self, FailureKind, Lane, Note, Status};
use crate::timing::Slot;
use crate::values::{Cell, Number, Row, Value};

/// Collects the report of a date: its keys, those of earlier days that are still open or came to an end since the last
/// report, the points, and what waits for a person.
pub fn assemble(
    project: &Project,
    ledger: &Ledger,
    date: NaiveDate,
    now: DateTime<Utc>,
    rehearsal: Option<Rehearsal>,
) -> Result<Report> {
    let previous = ledger.last_report(date)?;
    let before: Option<Report> = previous.as_ref().and_then(|report| serde_json::from_str(&report.json).ok());
    let mut lines = ledger.open_keys()?;
    lines.retain(|line| line.row.report_date < date);
    lines.extend(ledger.keys_ended_since_last_report(date)?);
    lines.extend(ledger.keys_of(date)?);
    let mut runs = Vec::new();
    for line in &mut lines {
        if let Some(planned) = Planned::again(project, line.row.clone()) {
            // A task that was renamed is told by its new name.
            line.row = planned.row;
        }
        let run = task_run(project, ledger, line, before.as_ref())?;
        let told_before = |path: String| {
            let runs = before.iter().flat_map(|report| &report.runs);
            runs.clone().find(|run| run.task == path && run.account == line.row.lane.account)
        };
        let beside = sharing(project, &line.row);
        let beside = beside.iter().map(|other| told_beside(other, &run, told_before(other.site.task_path(other.task))));
        let beside: Vec<_> = beside.collect();
        runs.push(run);
        runs.extend(beside);
    }
    let alerts = alerts(&runs);
    Ok(Report {
        date,
        number: previous.map_or(1, |report| report.number + 1),
        zone: project.settings.timezone,
        generated_at: now,
        from: lines.iter().map(|line| line.row.window.slot).min().unwrap_or(now),
        to: now,
        rehearsal,
        alerts,
        losses: losses_of(ledger, &lines)?,
        calendars: calendar_troubles(project, now),
        alarms: super::alarms(project, ledger, now)?,
        dead_letters: super::dead::earlier(project, ledger, &lines, now)?,
        tickets: ledger.open_tickets()?.iter().map(|ticket| waits_for_person(project, ledger, ticket)).collect(),
        sessions: super::kept::sessions(project, ledger, now)?,
        runs,
        points: points(project, ledger, &lines)?,
        next_runs: next_runs(project, now),
    })
}

/// True when this report tells something that the last one did not: the first of its date with anything due, or a
/// follow-up once every key is final or waits for a person, and at least one is not as it was.
pub fn is_worth_sending(report: &Report) -> bool {
    if report.number == 1 {
        return !report.runs.is_empty();
    }
    let settled = |run: &TaskRun| run.status.is_final() || run.status == Status::Blocked || run.ticket.is_some();
    report.runs.iter().any(|run| run.changed) && report.runs.iter().all(settled)
}

pub(super) fn task_run(
    project: &Project,
    ledger: &Ledger,
    line: &StatusLine,
    before: Option<&Report>,
) -> Result<TaskRun> {
    let planned = Planned::again(project, line.row.clone());
    let key = &line.row.key;
    let events = ledger.events(key)?;
    let state = planned.as_ref().map(|planned| run::TaskRun::fold(&events, &planned.rules)).unwrap_or_default();
    let decision = ledger.last_decision(key)?;
    let reason = match line.status {
        status if status.is_done() => None,
        Status::Pending | Status::Running | Status::Failed => {
            line.reason.clone().or_else(|| decision.filter(|answer| answer != "run"))
        }
        _ => line.reason.clone(),
    };
    let reason = reason.map(|text| Reason::of(&text));
    let path = format!("{}/{}", line.row.lane.site, line.row.task);
    let period = line.row.period.name();
    let account = line.row.lane.account.clone();
    let same = |other: &&TaskRun| other.task == path && other.account == account && other.period == period;
    let ticket = standing_ticket(ledger, line, &state)?;
    // Under one ticket a key that met the block and one that was not tried are alike: a closing that changed nothing is no news.
    let waits = |status: Status| matches!(status, Status::Pending | Status::Blocked);
    let still_waits =
        |run: &TaskRun| ticket.is_some() && run.ticket == ticket && waits(run.status) && waits(line.status);
    let as_before = |run: &TaskRun| run.status == line.status || still_waits(run);
    let changed = before.is_some_and(|report| !report.runs.iter().find(same).is_some_and(as_before));
    let proved_at = state.proved_at.filter(|_| line.status.is_done());
    let late = proved_at.map(|at| (at - line.row.window.slot).num_minutes());
    Ok(TaskRun {
        name: planned.as_ref().map_or(path.clone(), |planned| planned.task.name.clone()),
        site: planned.as_ref().map_or(line.row.lane.site.clone(), |planned| planned.site.name.clone()),
        status: line.status,
        ticket,
        failure: state.failure.filter(|_| !line.status.is_done()),
        attempts: ledger.attempts(key)?,
        acted_at: state.sent_at.filter(|_| state.acts > 0),
        verified_at: proved_at,
        again_at: line.due,
        evidence: state.evidence.as_ref().and_then(|reading| evidence(&reading.values)),
        late_minutes: late.filter(|_| line.status == Status::Compensated).and_then(|late| u32::try_from(late).ok()),
        notices: notes(&state.notes, |note| matches!(note, Note::Notice(_))),
        drift: notes(&state.notes, |note| matches!(note, Note::Drift(_))),
        task: path,
        account,
        period,
        reason,
        changed,
    })
}

fn standing_ticket(ledger: &Ledger, line: &StatusLine, state: &run::TaskRun) -> Result<Option<u32>> {
    let open = !line.status.is_final();
    let number = match state.ticket.filter(|_| open) {
        Some(number) => Some(number),
        None if open => ledger.suspended_by(&line.row.lane)?,
        None => None,
    };
    Ok(number.and_then(|number| u32::try_from(number).ok()))
}

/// `word: what was seen` of the ledger, taken apart.
fn notes(notes: &[Note], wanted: impl Fn(&Note) -> bool) -> Vec<String> {
    let text = |note: &Note| match note {
        Note::Notice(text) | Note::Drift(text) | Note::Kept(text) => text.clone(),
    };
    notes.iter().filter(|note| wanted(note)).map(text).collect()
}

/// What was read, in signs that need no language: `signed = true`, `details: 1/40` (rows of this period, rows read).
fn evidence(values: &std::collections::BTreeMap<String, Value>) -> Option<String> {
    let shown: Vec<String> =
        values.iter().filter_map(|(name, value)| Some(format!("{name}{}", short(value)?))).collect();
    (!shown.is_empty()).then(|| shown.join(", "))
}

fn short(value: &Value) -> Option<String> {
    Some(match value {
        Value::None => return None,
        Value::Text(text) => format!(" = {}", text.chars().take(60).collect::<String>()),
        Value::Number(number) => format!(" = {}", number.value.normalize()),
        Value::Boolean(truth) => format!(" = {truth}"),
        Value::Time(time) => format!(" = {}", time.format("%Y-%m-%dT%H:%M:%SZ")),
        Value::Date(date) => format!(" = {date}"),
        Value::Rows(rows) => format!(": {}/{}", rows.rows.len(), rows.read),
    })
}

/// What is wrong with the machine: each fault once, however many tasks it kept from running.
fn alerts(runs: &[TaskRun]) -> Vec<Alert> {
    let mut alerts: Vec<Alert> = Vec::new();
    for failure in runs.iter().filter_map(|run| run.failure.as_ref()) {
        let known = alerts.iter().any(|alert| alert.text == failure.message);
        if failure.kind == FailureKind::Environment && !known {
            alerts.push(Alert { kind: Some(failure.kind), text: failure.message.clone(), cure: None });
        }
    }
    alerts
}

/// A ticket as people are told of it.
pub fn waits_for_person(project: &Project, ledger: &Ledger, ticket: &OpenTicket) -> Ticket {
    let site = project.sites.iter().find(|site| site.id == ticket.site);
    let failure = ticket.failure.as_ref();
    // What a task itself asks of a person is seen when it is done; all else waits for the person's word.
    let asks = ticket.task.as_ref().and_then(|id| site?.tasks.iter().find(|task| task.id == *id));
    let seen_when_done = asks.is_some_and(|task| matches!(task.act, Act::Person));
    let commands = Commands::of(project, ledger.folder());
    let account = ticket.account.as_ref().or_else(|| Some(&site?.accounts.first()?.id));
    let signs_in = failure.is_some_and(|failure| sign_in_helps(failure.kind)).then_some(account).flatten();
    Ticket {
        number: u32::try_from(ticket.number).unwrap_or_default(),
        site: site.map_or(ticket.site.clone(), |site| site.name.clone()),
        account: ticket.account.clone().unwrap_or_else(|| "*".to_owned()),
        kind: failure.map(|failure| failure.kind),
        reason: ticket.text.clone(),
        page: failure.and_then(|failure| failure.page.clone()),
        what_to_do: None,
        sign_in: signs_in.map(|account| commands.sign_in(&ticket.site, account)),
        command: (!seen_when_done).then(|| commands.close(ticket.number)),
        title: failure.and_then(|failure| failure.title.clone()),
        rule: failure.and_then(|failure| failure.rule.clone()),
        reopened: ticket.reopened,
        since: ticket.opened_at,
        picture: failure.and_then(|failure| failure.picture.clone()),
    }
}

/// The points of every account whose site has a read-back, for the site's days that the lines are about.
fn points(project: &Project, ledger: &Ledger, lines: &[StatusLine]) -> Result<Vec<AccountPoints>> {
    let mut lanes: Vec<(Lane, NaiveDate)> = Vec::new();
    for line in lines {
        let lane_and_day = (line.row.lane.clone(), line.row.period.day);
        if !lanes.contains(&lane_and_day) {
            lanes.push(lane_and_day);
        }
    }
    let mut all = Vec::new();
    for (lane, day) in lanes {
        let Some(site) = project.sites.iter().find(|site| site.id == lane.site && site.points.is_some()) else {
            continue;
        };
        let read = ledger.points_read(&lane, day)?;
        let rows = ledger.rows_of(&lane, FEED, day)?;
        let expected = lines.iter().filter(|line| line.row.lane == lane && line.row.period.day == day);
        let expected = expected.filter(|line| line.status.is_done()).filter_map(|line| {
            let task = site.tasks.iter().find(|task| task.id == line.row.task)?;
            let reward = task.reward.as_ref()?;
            Some(Expected { task: task.name.clone(), title: reward.title.clone(), points: reward.points })
        });
        all.push(AccountPoints {
            site: site.name.clone(),
            account: lane.account.clone(),
            day,
            balance: read.as_ref().and_then(|read| read.balance).map(|value| Number { value, rounded: false }),
            read: match read {
                None => PointsRead::Unknown("not read yet".to_owned()),
                Some(read) => match read.incomplete {
                    None => PointsRead::Complete,
                    Some(why) if rows.is_empty() => PointsRead::Unknown(why),
                    Some(why) => PointsRead::Incomplete(why),
                },
            },
            rows: rows.iter().map(point_row).collect(),
            cross_check: None,
            expected: expected.collect(),
        });
    }
    Ok(all)
}

fn point_row(stored: &StoredRow) -> PointRow {
    let row = &stored.row;
    PointRow {
        time: match row.cells.get("time") {
            Some(Cell::Value(Value::Time(time))) => Some(*time),
            _ => None,
        },
        title: text_of(row, "title"),
        amount: match row.cells.get("amount") {
            Some(Cell::Value(Value::Number(number))) => Amount::Number(*number),
            _ => Amount::Unreadable(text_of(row, "amount")),
        },
        new: !stored.reported,
    }
}

fn text_of(row: &Row, column: &str) -> String {
    match row.cells.get(column) {
        Some(Cell::Value(Value::Text(text)) | Cell::Unreadable(text)) => text.clone(),
        _ => String::new(),
    }
}

/// The next slot of each task and account after now.
pub fn next_runs(project: &Project, now: DateTime<Utc>) -> Vec<NextRun> {
    let mut next: Vec<NextRun> = Vec::new();
    for site in &project.sites {
        for task in &site.tasks {
            let slot = project.slots(site, task).after(now).find(Slot::runs);
            let Some(at) = slot.map(|slot| slot.window.slot) else { continue };
            next.extend(task.accounts.iter().map(|account| NextRun {
                task: site.task_path(task),
                name: task.name.clone(),
                site: site.name.clone(),
                account: account.clone(),
                at,
            }));
        }
    }
    next.sort_by_key(|run| run.at);
    next
}

/// Writes down which rows this report carried.
pub(super) fn mark_reported(project: &Project, ledger: &Ledger, report: &Report) -> Result<()> {
    for account in &report.points {
        if let Some(site) = project.sites.iter().find(|site| site.name == account.site) {
            let lane = Lane { site: site.id.clone(), account: account.account.clone() };
            ledger.rows_reported(&lane, account.day, report.generated_at)?;
        }
    }
    Ok(())
}
