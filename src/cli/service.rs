//! `sunup service`: what systemd or cron needs to start Sunup by itself. It is printed, never installed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use chrono::{Days, NaiveTime, Timelike};
use clap::Args;
use serde_json::json;

use super::exit::Exit;
use super::{Common, folders, show};
use crate::clock::{Clock, Instant, SystemClock};
use crate::files::model::Project;
use crate::report::Words;
use crate::timing::Window;

/// What `service` takes.
#[derive(Debug, Args)]
pub(super) struct ServiceArgs {
    /// A systemd timer that starts a run every ten minutes inside the windows [default]
    #[arg(long, conflicts_with_all = ["daemon", "cron"])]
    timer: bool,
    /// A systemd service that runs `sunup serve`
    #[arg(long, conflicts_with = "cron")]
    daemon: bool,
    /// A line for crontab
    #[arg(long)]
    cron: bool,
}

/// Where units of the machine's own lie.
const UNITS: &str = "/etc/systemd/system";

/// The time that a run has after its limit for report and mail.
const AFTER_RUN: u64 = 15 * 60;

/// Windows and slots repeat within so many days.
const DAYS: u64 = 8;

/// What may be done to a service without harm to a browser: Firefox makes code while it runs, and namespaces for its pages.
const HARDENED: &str = "\
UMask=0077
NoNewPrivileges=yes
CapabilityBoundingSet=
ProtectSystem=strict
ProtectHome=read-only
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
";

/// The program and its places, as absolute paths.
struct Installed {
    program: PathBuf,
    settings: PathBuf,
    data: PathBuf,
    user: String,
}

/// A file, and what stands in it.
struct Unit {
    path: String,
    text: String,
}

/// Prints it.
pub(super) fn service(common: &Common, args: &ServiceArgs) -> Result<Exit> {
    let project = match folders::project(common) {
        Ok(project) => project,
        Err(exit) => return Ok(exit),
    };
    let installed = Installed::find(common)?;
    let words = Words::new(project.settings.language)?;
    if args.cron {
        let line = installed.crontab();
        if common.json {
            show::json(&json!({ "files": [], "crontab": line, "commands": ["crontab -e"] }));
        } else {
            show::line(&format!("# {}\n{line}", words.get("cli-service-crontab")));
        }
        return Ok(Exit::Ok);
    }
    let (units, enable) = match args.daemon {
        true => (vec![installed.daemon()], "sunup.service"),
        false => (vec![installed.one_run(&project), timer(&project, SystemClock::new().now())], "sunup.timer"),
    };
    let commands = ["sudo systemctl daemon-reload".to_owned(), format!("sudo systemctl enable --now {enable}")];
    if common.json {
        let files: Vec<_> = units.iter().map(|unit| json!({ "path": unit.path, "text": unit.text })).collect();
        show::json(&json!({ "files": files, "crontab": null, "commands": commands }));
        return Ok(Exit::Ok);
    }
    for unit in &units {
        show::line(&format!("# {}", words.with("cli-service-file", &[("file", unit.path.clone().into())])));
        show::line(&unit.text);
    }
    show::line(&format!("# {}", words.get("cli-service-then")));
    commands.iter().for_each(|command| show::line(&format!("#   {command}")));
    Ok(Exit::Ok)
}

impl Installed {
    fn find(common: &Common) -> Result<Self> {
        let settings = folders::config(common).map_err(anyhow::Error::msg)?;
        let data = folders::data(common).map_err(anyhow::Error::msg)?;
        let absolute =
            |path: &Path| std::path::absolute(path).with_context(|| format!("{} has no absolute path", path.display()));
        let user = nix::unistd::User::from_uid(nix::unistd::geteuid()).ok().flatten();
        Ok(Installed {
            program: std::env::current_exe().context("the program does not know where it is")?,
            settings: absolute(&settings)?,
            data: absolute(&data)?,
            user: user.map_or_else(|| nix::unistd::geteuid().to_string(), |user| user.name),
        })
    }

    /// The command line, for systemd.
    fn command(&self, command: &str) -> String {
        let [program, settings, data] = [&self.program, &self.settings, &self.data].map(|path| quoted(path));
        format!("{program} {command} --config {settings} --data {data}")
    }

    fn daemon(&self) -> Unit {
        let own = format!(
            "Type=notify\nNotifyAccess=main\nExecStart={}\nExecReload=/bin/kill -HUP $MAINPID\nWatchdogSec=150\n\
             Restart=on-failure\nRestartSec=30\nRestartPreventExitStatus=2 3\nTimeoutStopSec=45\n",
            self.command("serve")
        );
        let text = self.unit("Sunup, whenever something is due", &own, "\n[Install]\nWantedBy=multi-user.target\n");
        Unit { path: format!("{UNITS}/sunup.service"), text }
    }

    fn one_run(&self, project: &Project) -> Unit {
        let limit = project.settings.run_limit.as_secs() + AFTER_RUN;
        // What a task or a person is at fault for stands in the report; the service did its work.
        let own = format!(
            "Type=oneshot\nExecStart={}\nSuccessExitStatus=4 5\nTimeoutStartSec={limit}\n",
            self.command("run")
        );
        Unit { path: format!("{UNITS}/sunup.service"), text: self.unit("Sunup, what is due now", &own, "") }
    }

    fn unit(&self, description: &str, own: &str, install: &str) -> String {
        // Made here, because systemd would refuse to open a place that is not there.
        let data = quoted(&self.data);
        format!(
            "[Unit]\nDescription={description}\nWants=network-online.target\n\
             After=network-online.target time-sync.target\n\n\
             [Service]\n{own}User={user}\nExecStartPre=+/bin/mkdir -p {data}\nExecStartPre=+/bin/chown {user} {data}\n\
             KillMode=mixed\n{HARDENED}ReadWritePaths=-{data}\n\
             # Secrets: EnvironmentFile=/etc/sunup.env, or LoadCredential=NAME:/etc/sunup/NAME\n{install}",
            user = self.user,
        )
    }

    /// Every ten minutes of the day: cron knows no zone, and a run with nothing to do ends at once.
    fn crontab(&self) -> String {
        let [program, settings, data] = [&self.program, &self.settings, &self.data].map(|path| {
            // Cron takes a percent sign for the end of the line.
            format!("'{}'", path.display().to_string().replace('\'', "'\\''").replace('%', "\\%"))
        });
        format!("*/10 * * * *  {program} run --config {settings} --data {data}")
    }
}

/// A word of a systemd unit.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string().replace('%', "%%").replace('\\', "\\\\").replace('"', "\\\"");
    if text.contains([' ', '\t', '"', '\\', '\'', ';']) { format!("\"{text}\"") } else { text }
}

fn timer(project: &Project, now: Instant) -> Unit {
    let calendar: String = times(project, now).into_iter().map(|time| format!("OnCalendar={time}\n")).collect();
    let text = format!(
        "[Unit]\nDescription=Sunup, every ten minutes inside the windows\n\n\
         [Timer]\n{calendar}Persistent=true\nAccuracySec=1s\n\n[Install]\nWantedBy=timers.target\n"
    );
    Unit { path: format!("{UNITS}/sunup.timer"), text }
}

/// Every ten minutes from the hour of the first slot to that of the last window's end, and each slot and each reminder that
/// lies between those or behind them.
fn times(project: &Project, now: Instant) -> Vec<String> {
    let zone = project.settings.timezone;
    let today = now.with_timezone(&zone).date_naive();
    let tasks = project.sites.iter().flat_map(|site| site.tasks.iter().map(move |task| project.slots(site, task)));
    let slots = tasks.flat_map(|slots| (0..DAYS).flat_map(move |days| slots.on(today + Days::new(days))));
    let windows: Vec<Window> = slots.map(|slot| slot.window).collect();
    let local = |at: Instant| at.with_timezone(&zone).time();
    let day = |at: Instant| at.with_timezone(&zone).date_naive();
    let over_midnight = windows.iter().any(|window| day(window.slot) != day(window.until));
    let first = windows.iter().map(|window| local(window.slot).hour()).min().unwrap_or(0);
    let tasks = project.sites.iter().flat_map(|site| &site.tasks);
    let reminders: BTreeSet<NaiveTime> = tasks.filter_map(|task| task.schedule.remind).collect();
    let last = windows.iter().map(|window| local(window.until).hour()).chain(reminders.iter().map(Timelike::hour));
    let last = last.max().unwrap_or(23);
    let hours = if over_midnight || windows.is_empty() { "*".to_owned() } else { format!("{first:02}..{last:02}") };
    let slots: BTreeSet<NaiveTime> = windows.iter().map(|window| local(window.slot)).chain(reminders).collect();
    let between = slots.into_iter().filter(|slot| slot.minute() % 10 != 0 || slot.second() != 0);
    let between = between.map(|slot| format!("*-*-* {} {zone}", slot.format("%H:%M:%S")));
    std::iter::once(format!("*-*-* {hours}:00/10:00 {zone}")).chain(between).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::Times;

    fn example(change: impl Fn(&mut Project)) -> Vec<String> {
        let mut project = crate::files::load(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        change(&mut project);
        times(&project, "2026-11-30T00:00:00Z".parse().unwrap())
    }

    #[test]
    fn the_timer_is_awake_inside_the_windows_and_at_each_slot() {
        assert_eq!(example(|_| ()), ["*-*-* 06..23:00/10:00 Asia/Shanghai"]);
        let clock = |text| crate::timing::parse_clock(text).unwrap();
        let odd = example(|project| project.sites[0].tasks[0].schedule.times = Times::at(clock("05:07")));
        assert_eq!(odd, ["*-*-* 05..23:00/10:00 Asia/Shanghai", "*-*-* 05:07:00 Asia/Shanghai"]);
        let night = example(|project| {
            let schedule = &mut project.sites[0].tasks[0].schedule;
            (schedule.times, schedule.until) = (Times::at(clock("22:00")), clock("02:00"));
        });
        assert_eq!(night, ["*-*-* *:00/10:00 Asia/Shanghai"], "a window over midnight");
        let reminded = example(|project| {
            let schedules = project.sites[0].tasks.iter_mut().map(|task| &mut task.schedule);
            schedules.for_each(|schedule| schedule.until = clock("08:00"));
            project.sites[0].tasks[0].schedule.remind = Some(clock("10:05"));
        });
        assert_eq!(reminded, ["*-*-* 06..10:00/10:00 Asia/Shanghai", "*-*-* 10:05:00 Asia/Shanghai"]);
    }

    #[test]
    fn paths_survive_systemd_and_cron() {
        assert_eq!(quoted(Path::new("/opt/sunup")), "/opt/sunup");
        assert_eq!(quoted(Path::new("/my files/100%\"")), "\"/my files/100%%\\\"\"");
        let installed = Installed {
            program: "/opt/sunup".into(),
            settings: "/it's/100%.yaml".into(),
            data: "/d".into(),
            user: "me".into(),
        };
        let line = installed.crontab();
        assert_eq!(line, "*/10 * * * *  '/opt/sunup' run --config '/it'\\''s/100\\%.yaml' --data '/d'");
    }
}
