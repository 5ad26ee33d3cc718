//! Thirty days on one ledger, drawn from a seed: tasks, sites, weather, and what happens on each day.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeDelta, Utc};
use sunup::run::Lane;
use sunup::timing::{Calendar, PeriodKind, instant};

use crate::bugs::Bug;
use crate::chance::Chance;
use crate::judge::{Law, Seen};
use crate::site::{Mood, Site};
use crate::stage::{Fate, Stage};
use crate::task::{Shape, Task, ZONE, shapes};
use crate::world::World;

/// Days of a seed.
pub const DAYS: u64 = 30;
/// The last days are without faults, so that everything comes to its end.
const CALM: u64 = 4;
/// What `runner/morning.rs` takes for a step of the clock, not for a fault.
const BEHIND: TimeDelta = TimeDelta::minutes(2);
/// Lines that all runners together may take in one day.
const LINES: u64 = 20_000;

/// How a seed ended.
pub struct Ending {
    pub broken: Option<(Law, String)>,
    pub told: Vec<String>,
    pub seen: Seen,
    /// Mornings that were played; fewer than thirty where a law was broken.
    pub mornings: u64,
}

/// What is due at some time of a day.
#[derive(Debug, Clone, Copy)]
enum Deed {
    Start(usize),
    /// A person looks after the tickets; true when each page is seen to.
    Person(bool),
    /// A person does the thing on the phone.
    Phone,
    /// The clock is off by so many seconds from here on.
    Clock(i64),
}

/// Plays a seed.
pub fn play(seed: u64, bug: Option<Bug>, told: bool) -> Ending {
    let draw = Chance::new(seed ^ 0x5eed);
    let first = NaiveDate::from_ymd_opt(2026, 11, 2).unwrap() + Days::new(draw.below(60));
    let (tasks, sites) = (tasks(&draw), sites(&draw));
    let world = World::new(seed, bug, instant(ZONE, first, NaiveTime::MIN), tasks, sites);
    world.judge.borrow_mut().told = told.then(Vec::new);
    let processes = 2 + draw.below(2) as usize;
    let mut stage = Stage::new(&world, processes, 500);
    let mut mornings = 0;
    for day in 0..DAYS {
        let date = first + Days::new(day);
        world.a_day_begins();
        play_day(&world, &mut stage, &draw, date, day + CALM >= DAYS, processes);
        judge_day(&world, &stage, date, day + 1 == DAYS);
        mornings += 1;
        if world.judge.borrow().broken.is_some() {
            break;
        }
    }
    drop(stage);
    let judge = std::mem::take(&mut *world.judge.borrow_mut());
    Ending { broken: judge.broken, told: judge.told.unwrap_or_default(), seen: judge.seen, mornings }
}

fn lane(site: &str, account: &str) -> Lane {
    Lane { site: site.into(), account: account.into() }
}

/// Two sites, three accounts, and a few tasks, so that all shapes and periods occur among the seeds.
fn tasks(draw: &Chance) -> Vec<Task> {
    let shapes = shapes();
    let drawn = |id, lane, kind, often| {
        let shape: Shape = draw.one_of(&shapes);
        let mut days = [false; 7];
        days.iter_mut().for_each(|day| *day = draw.in_thousand(often));
        let settle = std::time::Duration::from_secs(draw.one_of(&[5, 20, 20, 60, 900]));
        Task { kind, days, settle, ..Task::new(id, lane, shape) }
    };
    let long = draw.one_of(&[PeriodKind::Week, PeriodKind::Month, PeriodKind::Once]);
    let mut tasks = vec![
        drawn("checkin", lane("alpha", "a"), PeriodKind::Day, 600),
        drawn("claim", lane("alpha", "a"), PeriodKind::Day, 200),
        drawn("checkin", lane("alpha", "b"), PeriodKind::Day, 250),
        drawn("post", lane("beta", "a"), long, 200),
    ];
    if draw.in_thousand(200) {
        tasks[0].days = tasks[1].days;
        tasks[1].requires = Some("checkin");
    }
    tasks
}

fn sites(draw: &Chance) -> Vec<Site> {
    let lanes = [lane("alpha", "a"), lane("alpha", "b"), lane("beta", "a")];
    let hour = |hour| NaiveTime::from_hms_opt(hour, 0, 0).unwrap();
    let calendars = [
        Calendar { zone: chrono_tz::Asia::Shanghai, starts_at: NaiveTime::MIN },
        Calendar { zone: chrono_tz::Asia::Shanghai, starts_at: hour(4) },
        Calendar { zone: chrono_tz::Asia::Tokyo, starts_at: hour(2) },
    ];
    ["alpha", "beta"].map(|id| Site::new(id, draw.one_of(&calendars), &lanes)).to_vec()
}

/// The mood of a site for one day.
fn mood(draw: &Chance, calm: bool) -> Mood {
    if calm || draw.in_thousand(500) {
        return Mood { lag: draw.one_of(&[0, 0, 3, 15]), ..Mood::default() };
    }
    let rate = |often: u32, high: u64| if draw.in_thousand(often) { draw.below(high) as u32 } else { 0 };
    Mood {
        lag: draw.one_of(&[0, 0, 5, 30, 400]),
        deaf: rate(250, 1_000),
        reads_fail: rate(300, 600),
        prepares_fail: rate(200, 500),
        answers_lost: rate(300, 800),
        not_sent: rate(200, 600),
        refuses: rate(150, 600),
        sessions_expire: rate(250, 200),
        sign_ins_fail: rate(250, 800),
        asks_for_person: rate(150, 60),
        rate_limits: rate(150, 80),
        ..Mood::default()
    }
}

fn play_day<'w>(world: &'w World, stage: &mut Stage<'w>, draw: &Chance, date: NaiveDate, calm: bool, processes: usize) {
    for site in world.sites.borrow_mut().iter_mut() {
        site.mood = mood(draw, calm);
    }
    {
        let mut post = world.post.borrow_mut();
        (post.answers_lost, post.puts_off) =
            if calm { (0, 0) } else { (draw.one_of(&[0, 0, 300]), draw.one_of(&[0, 0, 300])) };
    }
    let at = |hour: i64, minute: i64| instant(ZONE, date, NaiveTime::MIN) + TimeDelta::minutes(hour * 60 + minute);
    let stormy = !calm && draw.in_thousand(600);
    let calms_down = at(20, 0);
    for (time, deed) in deeds(draw, calm, processes, at) {
        stage.play(time, |world, _| fate(world, stormy && world.truth() < calms_down, calms_down));
        world.pass_until(time);
        perform(world, stage, deed);
    }
    stage.play(at(23, 50), |_, _| Fate::GoOn);
    world.pass_until(at(23, 50));
}

/// What happens on a day, in its order.
fn deeds(
    draw: &Chance,
    calm: bool,
    processes: usize,
    at: impl Fn(i64, i64) -> DateTime<Utc>,
) -> Vec<(DateTime<Utc>, Deed)> {
    let any = || draw.below(processes as u64) as usize;
    let mut deeds =
        vec![(at(5, 59) + TimeDelta::seconds(draw.between(0, 300)), Deed::Start(0)), (at(21, 30), Deed::Start(any()))];
    if !calm {
        let others = [(at(6, draw.between(0, 5)), 1, 500), (at(6, draw.between(0, 40)), 2, 200), (at(12, 0), 0, 300)];
        let others = others.into_iter().filter(|(_, number, often)| *number < processes && draw.in_thousand(*often));
        deeds.extend(others.map(|(time, number, _)| (time, Deed::Start(number))).collect::<Vec<_>>());
    }
    if calm || draw.in_thousand(600) {
        deeds.push((at(11, draw.between(0, 59)), Deed::Person(calm || !draw.in_thousand(150))));
    }
    if !calm && draw.in_thousand(60) {
        deeds.push((at(draw.between(5, 20), draw.between(0, 59)), Deed::Phone));
    }
    if draw.in_thousand(150) {
        deeds.push((at(draw.between(5, 12), draw.between(0, 59)), Deed::Clock(draw.between(-110, 110))));
    }
    if !calm && draw.in_thousand(30) {
        deeds.push((at(5, 50), Deed::Clock(-draw.between(3_000, 30_000))));
        deeds.push((at(7, draw.between(0, 59)), Deed::Clock(0)));
    }
    deeds.sort_by_key(|(time, _)| *time);
    deeds
}

/// What a line of a stormy day brings.
fn fate(world: &World, stormy: bool, calms_down: DateTime<Utc>) -> Fate {
    if !stormy {
        return Fate::GoOn;
    }
    let chance = &world.chance;
    let short_of_calm = |seconds: i64| TimeDelta::seconds(seconds).min(calms_down - world.truth());
    match chance.below(1_000) {
        0..=5 => Fate::Dies(TimeDelta::seconds(chance.between(1, 900))),
        6..=7 => Fate::Freezes(short_of_calm(chance.between(3, 60))),
        8..=9 => Fate::Freezes(short_of_calm(chance.between(1_700, 14_000))),
        10 => Fate::Sleeps(short_of_calm(chance.between(5, 7_200))),
        _ => Fate::GoOn,
    }
}

fn perform(world: &World, stage: &mut Stage<'_>, deed: Deed) {
    world.tell(|| format!("{deed:?}"));
    match deed {
        Deed::Start(number) => stage.start(number),
        Deed::Person(sees_to_it) => {
            for ticket in world.ledger.open_tickets().unwrap() {
                if sees_to_it {
                    world.site(&ticket.site, |site, _| {
                        site.blocked = None;
                        site.doors.iter_mut().for_each(|door| (door.blocked, door.signed_in) = (None, true));
                    });
                }
                world.ledger.close_ticket(ticket.number, "a person", world.now()).unwrap();
                world.ticket_closed(ticket.number);
            }
        }
        Deed::Phone => {
            let task = &world.tasks[world.chance.below(world.tasks.len() as u64) as usize];
            let now = world.truth();
            world.site(&task.lane.site, |site, _| site.arrive(task, now, true));
        }
        Deed::Clock(off) => {
            let off = TimeDelta::seconds(off);
            // By the ledger alone a clock that is set back is known only where it shows less than the last line.
            let known = world.ledger.high_water().unwrap().is_some_and(|last| world.truth() + off < last - BEHIND);
            if known || off > -BEHIND {
                world.set_clock_off(off);
            }
        }
    }
}

/// What is true of every evening.
fn judge_day(world: &World, stage: &Stage<'_>, date: NaiveDate, last: bool) {
    if world.judge.borrow().broken.is_some() {
        return;
    }
    if !stage.all_ended() || world.lines_today() > LINES {
        world.broken(Law::BoundedSteps, || format!("{date} took {} lines, and was not over", world.lines_today()));
    }
    // A week's task that was done on Monday is nothing that Tuesday's report would be about.
    if !world.ledger.keys_of(date).unwrap().is_empty() {
        world.judge_mail(date, last);
    }
    for task in &world.tasks {
        let calendar = world.site(&task.lane.site, |site, _| site.calendar);
        let Some(planned) = task.on(&calendar, date, None) else { continue };
        if world.ledger.key(&planned.row.key).unwrap().is_none() {
            world.broken(Law::NothingMissedSilently, || format!("{} is not on record", planned.row.key));
        }
    }
    for line in world.ledger.open_keys().unwrap() {
        let key = &line.row.key;
        let refused = || world.ledger.last_decision(key).unwrap().filter(|answer| answer != "run");
        if line.due.is_none() && line.reason.is_none() && refused().is_none() {
            world.broken(Law::EndsOrWaits, || format!("{key} is {} for no reason", line.status));
        }
        let rules = world.task(&line.row.lane, &line.row.task).again(line.row.clone()).rules;
        let over = rules.closes_at.is_some_and(|end| end < world.now() - TimeDelta::hours(20));
        if last && over {
            world.broken(Law::EndsOrWaits, || format!("{key} is {} still", line.status));
        }
    }
}
