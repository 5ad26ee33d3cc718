//! The files of a large household: four sites with five accounts each, and thirty tasks for every account.

use std::fs;

use chrono::Timelike;
use sunup::clock::{Clock, SystemClock};
use sunup::files;
use sunup::files::model::Project;

use crate::support::{self, Place};

const SITES: u32 = 4;
const ACCOUNTS: u32 = 5;
const TASKS: u32 = 30;

/// Keys of each day.
pub const KEYS_A_DAY: u32 = SITES * ACCOUNTS * TASKS;

/// The path of its sunup.yaml.
pub fn config(place: &Place) -> String {
    place.path("files/sunup.yaml").to_str().expect("a name in UTF-8").to_owned()
}

/// Writes the files and loads them: copies of the example's check-in, in a zone in which it is about noon.
pub fn project(place: &Place) -> Project {
    let example = |file: &str| fs::read_to_string(support::project().join(file)).expect("a file of the example");
    // The names of these zones count the other way round.
    let zone = format!("Etc/GMT{:+}", SystemClock::new().now().hour() as i32 - 12);
    let local = |text: String| text.replace("Asia/Shanghai", &zone);
    let site = local(example("tasks/community/site.yaml"));
    let (before, after) = site.split_once("accounts:\n").expect("accounts");
    let (account, after) = after.split_once("sign_in:").expect("what follows them");
    let numbered = |number: u32| {
        let user = format!("COMMUNITY_USER_{number}");
        account.replace("main:", &format!("account{number}:")).replace("COMMUNITY_USER", &user)
    };
    let accounts: String = (1..=ACCOUNTS).map(numbered).collect();
    let task = example("tasks/community/checkin.yaml");
    for site in 1..=SITES {
        let folder = place.path("files/tasks").join(format!("site{site}"));
        fs::create_dir_all(&folder).expect("a folder");
        let text = format!("{before}accounts:\n{accounts}sign_in:{after}");
        let text = text.replace("community.example", &format!("site{site}.example"));
        fs::write(folder.join("site.yaml"), text).expect("a file");
        for number in 1..=TASKS {
            let text = task.replace("name: 每日签到", &format!("name: 每日签到 {number}"));
            fs::write(folder.join(format!("checkin{number}.yaml")), text).expect("a file");
        }
    }
    let settings = format!(
        "format: 1\ntimezone: {zone}\nschedule: {{ at: \"06:00\", until: \"23:30\" }}\n\
         report: {{ to: [reader@example.org], from: sunup@example.org }}\n"
    );
    fs::write(place.path("files/sunup.yaml"), settings).expect("a file");
    files::load(&place.path("files")).unwrap_or_else(|faults| panic!("{}", faults.render(false)))
}
