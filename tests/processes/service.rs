//! What `sunup service` prints, in the eyes of systemd itself.

use std::fs;
use std::path::Path;

use serde_json::Value as Json;
use tokio::process::Command;

use crate::household::Household;
use crate::support::{program, run};

#[tokio::test]
async fn systemd_has_nothing_to_say_against_the_units() {
    let household = Household::new().await;
    for kind in ["--daemon", "--timer"] {
        let place = &household.place;
        let told =
            run(place.sunup(&["service", kind, "--json", "--config", "files/sunup.yaml", "--data", "a place"])).await;
        assert_eq!(told.code, 0, "{told}");
        let json: Json = serde_json::from_str(&told.stdout).expect("JSON");
        let mut verify = Command::new(program("systemd-analyze"));
        verify.args(["verify", "--man=no"]).current_dir(place.path("tmp"));
        for file in json["files"].as_array().expect("files") {
            let name = Path::new(file["path"].as_str().expect("a path")).file_name().expect("a name");
            fs::write(place.path("tmp").join(name), file["text"].as_str().expect("a unit")).expect("a file");
            verify.arg(place.path("tmp").join(name));
        }
        let verdict = run(verify).await;
        assert!(verdict.code == 0 && verdict.stderr.is_empty(), "{kind}: {verdict}\n{told}");
    }
}

#[tokio::test]
async fn the_line_for_cron_names_the_program_and_its_places() {
    let household = Household::new().await;
    let told =
        run(household.place.sunup(&["service", "--cron", "--config", "files/sunup.yaml", "--data", "data"])).await;
    assert_eq!(told.code, 0, "{told}");
    let line = told.stdout.lines().last().unwrap_or_default();
    let data = household.place.path("data").display().to_string();
    assert!(line.starts_with("*/10 * * * *  '/") && line.ends_with(&format!(" --data '{data}'")), "{told}");
}
