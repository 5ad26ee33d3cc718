//! The sample files: thirteen sites, and what of them cannot run yet.

use std::fs;

use super::super::model::{Act, Target, Verb, Verify};
use super::super::{FaultKind, load};
use super::{Scratch, samples};

#[test]
fn only_what_cannot_run_yet_is_refused() {
    let faults = load(&samples()).unwrap_err();
    let found: Vec<_> = faults
        .iter()
        .map(|fault| {
            assert_eq!(fault.kind, FaultKind::NotSupportedYet, "{}", super::line(fault));
            format!("{} {}", fault.place, fault.message)
        })
        .collect();
    insta::assert_snapshot!(found.join("\n"));
}

#[test]
fn a_folder_without_them_loads_by_folder_and_by_file() {
    let scratch = Scratch::new();
    let project = scratch.load().unwrap();
    assert_eq!(project.sites.len(), 1);
    assert!(load(&scratch.root.path().join("sunup.yaml")).is_ok());
}

#[test]
fn the_check_in_as_the_runner_sees_it() {
    let project = Scratch::new().load().unwrap();
    let site = &project.sites[0];
    let task = &site.tasks[0];
    assert_eq!((site.task_path(task).as_str(), task.name.as_str()), ("community/checkin", "每日签到"));
    assert_eq!(task.accounts, ["main"]);
    let Act::Steps(steps) = &task.act else { panic!("{:?}", task.act) };
    assert_eq!(steps.iter().map(|step| step.commit).collect::<Vec<_>>(), [false, false, true]);
    let Verb::Click { target: Target::Alternatives(found), .. } = &steps[2].verb else { panic!("{:?}", steps[2]) };
    assert_eq!(found.len(), 2);
    // `use: points` is put in, with the place where it is written.
    let Verify::Section(verify) = &task.verify else { panic!("{:?}", task.verify) };
    assert_eq!(verify.steps.len(), 1);
    assert_eq!(verify.steps[0].place.to_string(), "tasks/community/site.yaml:28:7");
    assert_eq!(verify.steps[0].reads[0].0, "details");
    // The site's `until` is the task's own, the rest comes from above.
    assert_eq!(
        (task.schedule.times.first().to_string(), task.schedule.until.to_string()),
        ("06:00:00".into(), "16:00:00".into())
    );
}

#[test]
fn every_good_text_in_the_list_loads() {
    let text = fs::read_to_string(samples().join("good.txt")).unwrap();
    for case in super::wrong::cases(&text) {
        let scratch = Scratch::new();
        case.apply(&scratch);
        assert_eq!(scratch.faults(), Vec::<String>::new(), "{}", case.name);
    }
}

#[test]
fn the_kinds_of_a_challenge_are_kinds_of_failure() {
    for word in super::super::site::CHALLENGE_KINDS {
        assert!(crate::run::FailureKind::from_word(word).is_some(), "{word}");
    }
}
