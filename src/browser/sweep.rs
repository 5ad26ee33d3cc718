//! Orphans: a killed runner leaves its driver and its browser behind. The next run finds them by their mark, and ends them.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::{Pid, getpgid, getpgrp};

/// The environment variable by which our drivers, and the browsers that they start, say who started them. Nobody else's
/// processes carry it: a person's own Firefox is never touched.
pub const MARK: &str = "SUNUP_RUN";

/// The environment variable by which they say which profile is theirs.
pub const PROFILE: &str = "SUNUP_PROFILE";

/// How often the processes are looked at before those that do not go are given up on.
const LOOKS: u32 = 300;
/// The time between two looks.
const PAUSE: Duration = Duration::from_millis(10);

/// Ends the groups of all marked processes of which `is_over` says that whoever started them is dead, and returns how
/// many groups these were. It comes back when they are gone, so that their profiles are free.
pub fn sweep(is_over: impl Fn(&str) -> bool) -> usize {
    end_all(|name, value| name == MARK && is_over(value))
}

/// Ends the groups of our drivers and browsers that use a profile, whoever started them: the caller has the lane now, and
/// a runner that was stopped for so long that it lost the lane must not click in that browser when it wakes.
pub fn free(profile: &Path) -> usize {
    end_all(|name, value| name == PROFILE && Path::new(value) == profile)
}

fn end_all(wanted: impl Fn(&str, &str) -> bool) -> usize {
    let mut ended = BTreeSet::new();
    for _ in 0..LOOKS {
        let orphans = groups_with(&wanted);
        if orphans.is_empty() {
            return ended.len();
        }
        for group in &orphans {
            // It fails only for a group that has gone by itself.
            let _ = killpg(*group, Signal::SIGKILL);
        }
        ended.extend(orphans);
        std::thread::sleep(PAUSE);
    }
    tracing::warn!(groups = ended.len(), "browsers of another run were ended but are not gone yet");
    ended.len()
}

/// The process groups, other than our own, in which some process has such an environment variable. The group is asked
/// from that very process, so that a number that was used again is never hit. A zombie has no environment any more.
pub(super) fn groups_with(wanted: impl Fn(&str, &str) -> bool) -> BTreeSet<Pid> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let groups = processes.filter_map(|process| {
        let id: i32 = process.file_name().to_str()?.parse().ok()?;
        let environment = std::fs::read(process.path().join("environ")).ok()?;
        has(&environment, &wanted).then(|| getpgid(Some(Pid::from_raw(id))).ok()).flatten()
    });
    groups.filter(|group| *group != getpgrp()).collect()
}

fn has(environment: &[u8], wanted: impl Fn(&str, &str) -> bool) -> bool {
    let entries = environment.split(|byte| *byte == 0).filter_map(|entry| std::str::from_utf8(entry).ok());
    entries.filter_map(|entry| entry.split_once('=')).any(|(name, value)| wanted(name, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};

    /// A process that ends with its test at the latest: it reads from a pipe of ours. It has answered once, because a
    /// process that the system is still starting shows no environment yet.
    fn process(mark: Option<&str>, profile: Option<&str>) -> Child {
        let mut command = Command::new("cat");
        command.env_remove(MARK).process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.envs(mark.map(|mark| (MARK, mark))).envs(profile.map(|profile| (PROFILE, profile)));
        let mut child = command.spawn().unwrap();
        child.stdin.as_mut().unwrap().write_all(b"?").unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        child
    }

    #[test]
    fn only_the_marked_whose_run_is_over_are_ended() {
        let (over, alive) = ("over-5f0e17c3", "alive-5f0e17c3");
        let mut orphan = process(Some(over), None);
        let mut others = [process(Some(alive), None), process(None, None)];
        assert_eq!(sweep(|mark| mark == over), 1);
        assert!(!orphan.wait().unwrap().success());
        for other in &mut others {
            assert_eq!(other.try_wait().unwrap(), None, "it was ended, too");
            drop(other.stdin.take());
            assert!(other.wait().unwrap().success());
        }
        assert_eq!(sweep(|mark| mark == over), 0);
    }

    #[test]
    fn whoever_has_the_lane_has_its_profile_alone() {
        let mut before = process(Some("alive-1b7d"), Some("/profiles-1b7d/community/main"));
        let mut another = process(Some("alive-1b7d"), Some("/profiles-1b7d/community/second"));
        assert_eq!(free(Path::new("/profiles-1b7d/community/main")), 1);
        assert!(!before.wait().unwrap().success());
        drop(another.stdin.take());
        assert!(another.wait().unwrap().success(), "another lane's browser was ended, too");
    }

    #[test]
    fn the_mark_is_a_whole_variable() {
        let marked = |environment: &[u8]| has(environment, |name, value| name == MARK && value == "x y=z");
        assert!(marked(b"A=1\0SUNUP_RUN=x y=z\0B=2\0"));
        assert!(!marked(b"OTHER_SUNUP_RUN=x y=z\0SUNUP_RUNS=x y=z\0SUNUP_RUN=x\0"));
        assert!(!marked(b""));
    }
}
