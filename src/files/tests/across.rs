//! What only shows when several files are looked at together.

use super::super::model::{Requirement, Verify};
use super::Scratch;

const SITE: &str = "tasks/community/site.yaml";
const TASK: &str = "tasks/community/checkin.yaml";

/// Puts lines behind the first line of a file.
fn with_lines(scratch: &Scratch, file: &str, lines: &str) {
    let text = scratch.read(file);
    let (first, rest) = text.split_once('\n').unwrap();
    scratch.write(file, format!("{first}\n{lines}\n{rest}"));
}

fn messages(scratch: &Scratch) -> Vec<String> {
    scratch.faults().into_iter().map(|line| line.split(" → ").next().unwrap().to_owned()).collect()
}

#[test]
fn two_sites_with_one_origin() {
    let scratch = Scratch::new();
    scratch.write("tasks/second/site.yaml", scratch.read(SITE));
    assert_eq!(
        messages(&scratch),
        ["tasks/second/site.yaml:2:11 `https://community.example` is an origin of the site `community` too"]
    );
}

#[test]
fn tasks_that_wait_for_each_other() {
    let scratch = Scratch::new();
    let text = scratch.read(TASK);
    scratch.write("tasks/community/claim.yaml", &text);
    with_lines(&scratch, "tasks/community/claim.yaml", "requires:\n  - task: checkin");
    assert_eq!(messages(&scratch), Vec::<String>::new());
    with_lines(&scratch, TASK, "requires:\n  - task: community/claim");
    assert_eq!(
        messages(&scratch),
        [
            "tasks/community/checkin.yaml:3:11 `checkin` waits for `claim`, which waits for it in turn",
            "tasks/community/claim.yaml:3:11 `claim` waits for `checkin`, which waits for it in turn",
        ]
    );
}

#[test]
fn a_window_is_judged_in_the_zones_of_both_sides_all_year() {
    let scratch = Scratch::new();
    // Midnight in New York is 13:00 in Shanghai in winter and 12:00 in summer.
    with_lines(&scratch, SITE, "day: { timezone: America/New_York }\nschedule: { at: \"13:00\", until: \"12:30\" }");
    let text = scratch.read(TASK).replace("schedule: { until: \"16:00\" }", "");
    scratch.write(TASK, &text);
    let told = messages(&scratch);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("tasks/community/site.yaml:3:11 the window 13:00 to 12:30 contains 12:00"), "{told:?}");
    scratch.write(SITE, scratch.read(SITE).replace("12:30", "12:00"));
    assert_eq!(messages(&scratch), Vec::<String>::new());
}

#[test]
fn a_window_on_weekdays_without_the_reset() {
    let scratch = Scratch::new();
    scratch.write(TASK, scratch.read(TASK).replace("schedule: { until: \"16:00\" }", "schedule: { until: \"05:00\" }"));
    assert_eq!(messages(&scratch).len(), 1);
}

#[test]
fn a_broken_site_file_is_not_repeated_in_its_tasks() {
    let scratch = Scratch::new();
    scratch.write(SITE, "name: [\n");
    let told = messages(&scratch);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("tasks/community/site.yaml:1:7"), "{told:?}");
}

#[test]
fn a_fault_in_shared_steps_is_told_once() {
    let scratch = Scratch::new();
    with_lines(&scratch, SITE, "shared:\n  home:\n    - open: home");
    let text = scratch.read(TASK).replace("  - open: /home", "  - use: home\n    when: checked.signed");
    scratch.write(TASK, &text);
    scratch.write("tasks/community/other.yaml", &text);
    assert_eq!(messages(&scratch), ["tasks/community/site.yaml:4:13 `home` is no page of this site"]);
}

#[test]
fn a_var_of_an_account_counts_only_when_each_account_has_it() {
    let scratch = Scratch::new();
    let one = "    password: { env: COMMUNITY_PASSWORD }";
    let two = format!(
        "{one}\n    vars: {{ city: 杭州 }}\n  wife:\n    username: {{ env: WIFE }}\n    password: {{ env: WIFE_PASSWORD }}"
    );
    scratch.write(SITE, scratch.read(SITE).replace(one, &two));
    scratch.write(TASK, scratch.read(TASK).replace("open: /home", "open: \"/home?{{ account.vars.city }}\""));
    assert!(messages(&scratch)[0].contains("there is no name `account.vars.city` here"));
    with_lines(&scratch, TASK, "accounts: [main]");
    assert_eq!(messages(&scratch), Vec::<String>::new());
}

/// D12: yesterday's file does not count, unless its path names the day.
#[test]
fn a_required_file_must_be_of_this_period() {
    let scratch = Scratch::new();
    let requires = "vars: { name: \"{{ day }}\", file: \"{{ vars.name }}.md\" }\nrequires:\n  - file: photo.jpg\n  - file: \"{{ vars.file }}\"\n  - file: any.jpg\n    changed: any";
    with_lines(&scratch, TASK, requires);
    let project = scratch.load().unwrap();
    let changed: Vec<_> = project.sites[0].tasks[0]
        .requires
        .iter()
        .map(|requirement| matches!(requirement, Requirement::File { changed_in_period: true, .. }))
        .collect();
    assert_eq!(changed, [true, false, false]);
}

/// The nearest file wins key by key, and a task's var stands where the site's stood.
#[test]
fn what_is_handed_down() {
    let scratch = Scratch::new();
    scratch.write("sunup.yaml", "format: 1\ntimezone: Asia/Shanghai\nschedule: { at: \"05:00\", grace: 1m }\nretry: { attempts: 5, series: 7 }\n");
    with_lines(
        &scratch,
        SITE,
        "schedule: { at: \"05:30\" }\nretry: { attempts: 4 }\nvars: { a: site, b: \"{{ vars.a }}\" }",
    );
    with_lines(&scratch, TASK, "retry: { initial: 1s }\nvars: { a: task, c: own }");
    let project = scratch.load().unwrap();
    let task = &project.sites[0].tasks[0];
    assert_eq!(
        (task.schedule.times.first().to_string(), task.schedule.until.to_string()),
        ("05:30:00".into(), "16:00:00".into())
    );
    assert_eq!((task.schedule.grace.as_secs(), task.retry.attempts, task.retry.series), (60, 4, 7));
    assert_eq!(task.retry.initial.as_secs(), 1);
    let vars: Vec<_> = task.vars.iter().map(|(name, value)| (name.as_str(), value.text())).collect();
    assert_eq!(vars, [("a", "task"), ("b", "{{ vars.a }}"), ("c", "own")]);
}

/// `when` of a `use` holds for each of its steps.
#[test]
fn a_condition_of_shared_steps() {
    let scratch = Scratch::new();
    scratch.write(
        TASK,
        scratch.read(TASK).replace("    - use: points\n", "    - use: points\n      when: weekday(day) == 1\n"),
    );
    let project = scratch.load().unwrap();
    let Verify::Section(verify) = &project.sites[0].tasks[0].verify else { panic!() };
    assert_eq!(verify.steps[0].when.as_ref().map(|when| when.text()), Some("weekday(day) == 1"));
}

#[test]
fn a_task_takes_over_only_the_keys_of_one_that_is_gone() {
    let scratch = Scratch::new();
    let text = scratch.read(TASK);
    with_lines(&scratch, TASK, "was: community/checkin");
    assert_eq!(
        messages(&scratch),
        ["tasks/community/checkin.yaml:2:6 `community/checkin` is still there, and has its keys"]
    );
    scratch.write(TASK, text.replacen('\n', "\nwas: community/sign\n", 1));
    assert_eq!(messages(&scratch), Vec::<String>::new());
    scratch.write("tasks/community/other.yaml", text.replacen('\n', "\nwas: community/sign\n", 1));
    assert_eq!(
        messages(&scratch),
        ["tasks/community/other.yaml:2:6 `community/checkin` says that it was `community/sign`, too"]
    );
    scratch.write("tasks/community/other.yaml", text.replacen('\n', "\nwas: sign\n", 1));
    assert_eq!(messages(&scratch), ["tasks/community/other.yaml:2:6 `sign` is not the path of a task"]);
}

#[test]
fn tasks_with_one_business_key_have_one_kind_of_period_and_need_no_secret_for_it() {
    let scratch = Scratch::new();
    let text = scratch.read(TASK);
    let with = |lines: &str| text.replacen('\n', &format!("\n{lines}\n"), 1);
    scratch.write(TASK, with("business_key: signing"));
    scratch.write("tasks/community/other.yaml", with("business_key: signing"));
    assert_eq!(messages(&scratch), Vec::<String>::new());
    scratch.write("tasks/community/other.yaml", with("period: week\nbusiness_key: signing"));
    assert_eq!(
        messages(&scratch),
        [
            "tasks/community/other.yaml:3:15 `community/checkin` has the same business key, and another `period`: they would never meet"
        ]
    );
    scratch.write("tasks/community/other.yaml", with("period: week\nbusiness_key: community/checkin"));
    assert_eq!(messages(&scratch), Vec::<String>::new());
    scratch.write(
        "tasks/community/other.yaml",
        with("vars: { a: \"{{ account.username }}\" }\nbusiness_key: \"{{ vars.a }}\""),
    );
    assert!(messages(&scratch)[0].contains("the user name may be one"), "{:?}", messages(&scratch));
}

#[test]
fn a_day_that_is_past_waits_for_no_other_task() {
    let scratch = Scratch::new();
    let each =
        "requires:\n  - task: checkin\nschedule: { until: \"16:00\", catch_up: { strategy: each, since: 2026-11-01 } }";
    let text = scratch.read("tasks/community/checkin.yaml").replace("schedule: { until: \"16:00\" }", each);
    scratch.write("tasks/community/second.yaml", text);
    let faults = scratch.faults();
    assert!(
        faults.iter().any(|fault| fault.contains("not supported yet: `catch_up: each with requires: task`")),
        "{faults:?}"
    );
}
