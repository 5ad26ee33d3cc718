//! The driver process: found on this machine, started in a process group of its own, and ended on every path.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, Stdio};
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use super::brand::Brand;
use super::sweep::{MARK, PROFILE, groups_with};
use crate::run::{Failure, FailureKind};

/// How long the driver may take to listen.
const START_LIMIT: Duration = Duration::from_secs(20);
/// How often a driver is started that ends before it listens.
const STARTS: usize = 3;
/// How long a killed group may take to be gone.
const REAP_LIMIT: Duration = Duration::from_secs(3);
/// How often a dying group is looked at.
const REAP_PAUSE: Duration = Duration::from_millis(5);

/// Finds the driver program: an absolute path as it is; otherwise on PATH, then beside our own program, then in
/// `.cache/bin` of the current folder, where `make` puts it.
pub fn find_driver(name: &str) -> Result<PathBuf, Failure> {
    let cure = Brand::of_driver(name).driver_cure();
    find_program(name).ok_or_else(|| {
        environment(format!(
            "The driver program `{name}` was not found: install it with {cure}, or set `browser.driver` in sunup.yaml \
             to its path."
        ))
    })
}

/// Finds the browser program: the one that is set, or one of its brand on this machine.
pub fn find_browser(brand: Brand, binary: Option<&Path>) -> Result<PathBuf, Failure> {
    let cure = format!("install it with {}, or set `browser.binary` in sunup.yaml to its path", brand.browser_cure());
    match binary {
        Some(path) if is_program(path) => Ok(path.to_owned()),
        Some(path) => Err(environment(format!("There is no browser at {}: {cure}.", path.display()))),
        None => {
            let known = brand.programs().iter().find_map(|name| find_program(name));
            known.ok_or_else(|| environment(format!("{brand} was not found: {cure}.")))
        }
    }
}

fn find_program(name: &str) -> Option<PathBuf> {
    let given = Path::new(name);
    if given.components().count() > 1 {
        return is_program(given).then(|| given.to_owned());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let beside = std::env::current_exe().ok().and_then(|program| program.parent().map(Path::to_owned));
    let prepared = std::env::current_dir().ok().map(|folder| folder.join(".cache/bin"));
    let usual = ["/usr/local/bin", "/usr/bin", "/bin"].map(PathBuf::from);
    let folders = std::env::split_paths(&path).chain(beside).chain(prepared).chain(usual);
    folders.filter(|folder| folder.is_absolute()).map(|folder| folder.join(name)).find(|program| is_program(program))
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// What the driver's process sees of the world: nothing of our own environment but what is named here.
#[derive(Debug, Clone)]
pub struct Surroundings<'a> {
    /// The zone that the browser lives in, such as `Asia/Shanghai`.
    pub zone: &'a str,
    /// Home and temporary folder: its own, writable, removed afterwards.
    pub home: &'a Path,
    /// Who started it.
    pub mark: &'a str,
    /// The profile that its browser uses.
    pub profile: &'a Path,
    /// Without a window.
    pub headless: bool,
    /// The language that pages see, such as `zh-CN`.
    pub locale: &'a str,
}

/// A driver process with its group. Dropping it kills the whole group, the browser included.
#[derive(Debug)]
pub struct Driver {
    group: Pid,
    /// Its home, which no other process has: the browser's crash helper leaves the group, and is known by it.
    home: PathBuf,
    strayed: Vec<Pid>,
    port: u16,
    ended: bool,
}

impl Driver {
    /// Starts the driver on a free port of its own choice, and returns once it listens.
    pub async fn start(program: &Path, around: &Surroundings<'_>) -> Result<Self, Failure> {
        // The browser's processes come to us when the driver dies before them, so that they can be reaped.
        let _ = nix::sys::prctl::set_child_subreaper(true);
        for _ in 0..STARTS {
            if let Some(driver) = Driver::listening(program, around).await? {
                return Ok(driver);
            }
        }
        Err(does_not_listen(program))
    }

    /// One start; none when the driver ended by itself before it listened. chromedriver takes the port that it chose for two
    /// addresses, and ends where something else has it at one of them.
    async fn listening(program: &Path, around: &Surroundings<'_>) -> Result<Option<Self>, Failure> {
        let brand = Brand::of_driver(&program.to_string_lossy());
        let mut child = command(program, brand, around)
            .spawn()
            .map_err(|error| environment(format!("The driver {} does not start: {error}.", program.display())))?;
        let mut driver = Driver::of_group(Pid::from_raw(child.id() as i32), around.home);
        match tokio::time::timeout(START_LIMIT, port_in(child.stdout.take())).await {
            Ok(Some(port)) => {
                driver.port = port;
                Ok(Some(driver))
            }
            Ok(None) => Ok(None),
            Err(_) => Err(does_not_listen(program)),
        }
    }

    fn of_group(group: Pid, home: &Path) -> Self {
        Driver { group, home: home.to_owned(), strayed: Vec::new(), port: 0, ended: false }
    }

    /// Where it listens on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Remembers what has left the group since the start: once it is dead, its home cannot be asked any more.
    pub fn note_strayed(&mut self) {
        let of_home = |name: &str, value: &str| name == "HOME" && Path::new(value) == self.home;
        let strayed = groups_with(of_home).into_iter().filter(|other| *other != self.group);
        self.strayed.extend(strayed.collect::<Vec<_>>());
        self.strayed.sort_unstable();
        self.strayed.dedup();
    }

    /// Kills the driver with its whole group, and reaps it.
    pub async fn end(mut self) {
        let _ = tokio::task::spawn_blocking(move || self.kill()).await;
    }

    /// The same at once, for a browser that hangs: whatever is asked of it from now on fails.
    pub fn kill(&mut self) {
        if !self.ended {
            self.ended = true;
            self.note_strayed();
            end_group(self.group);
            self.strayed.iter().copied().for_each(end_group);
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.kill();
    }
}

fn command(program: &Path, brand: Brand, around: &Surroundings<'_>) -> Command {
    let mut command = Command::new(program);
    match brand {
        Brand::Firefox => command.args(["--host", "127.0.0.1", "--port", "0", "--websocket-port", "0"]),
        // It listens on loopback alone as long as nothing is said about other addresses.
        Brand::Chromium => command.args(["--port=0"]),
    };
    command.env_clear();
    for kept in ["PATH", "LD_LIBRARY_PATH", "XDG_RUNTIME_DIR"] {
        command.envs(std::env::var_os(kept).map(|value| (kept, value)));
    }
    if !around.headless {
        for kept in ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS"] {
            command.envs(std::env::var_os(kept).map(|value| (kept, value)));
        }
        // Its home is another: the key of the display, as `ssh -X` leaves it, is looked for in the person's.
        let key = std::env::var_os("HOME").map(|home| Path::new(&home).join(".Xauthority"));
        if std::env::var_os("XAUTHORITY").is_none() {
            command.envs(key.filter(|key| key.is_file()).map(|key| ("XAUTHORITY", key)));
        }
    }
    // Firefox refuses a home that another user owns, which is what root has under sudo: it gets one of its own.
    command.env("HOME", around.home).env("TMPDIR", around.home).env("TZ", around.zone);
    command.env("LANG", "C.UTF-8").env(MARK, around.mark).env(PROFILE, around.profile);
    match brand {
        // Without it Firefox asks its maker's server for settings, whatever address the preferences name.
        Brand::Firefox => command.env("MOZ_REMOTE_SETTINGS_DEVTOOLS", "1"),
        // Chromium takes the language of its own texts from here, where it has them in that language.
        Brand::Chromium => command.env("LANGUAGE", around.locale.replace('-', "_")),
    };
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.process_group(0);
    command
}

/// Reads the port from the driver's own words, and keeps its pipe empty from then on.
async fn port_in(output: Option<ChildStdout>) -> Option<u16> {
    let output = output?;
    let (tell, told) = tokio::sync::oneshot::channel();
    let reader = move || {
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        let port = lines.find_map(|line| port_of(&line));
        let _ = tell.send(port);
        lines.for_each(drop);
    };
    std::thread::Builder::new().name("driver output".to_owned()).spawn(reader).ok()?;
    told.await.ok().flatten()
}

/// `Listening on 127.0.0.1:39111`, or `ChromeDriver was started successfully on port 39111.`
fn port_of(line: &str) -> Option<u16> {
    let (_, port) =
        line.split_once("Listening on 127.0.0.1:").or_else(|| line.split_once("started successfully on port "))?;
    port.trim().trim_end_matches('.').parse().ok()
}

fn end_group(group: Pid) {
    let _ = killpg(group, Signal::SIGKILL);
    let looks = REAP_LIMIT.as_millis() / REAP_PAUSE.as_millis();
    for _ in 0..looks {
        match waitpid(Pid::from_raw(-group.as_raw()), Some(WaitPidFlag::WNOHANG)) {
            Err(Errno::ECHILD) => return,
            Ok(WaitStatus::StillAlive) => {
                // A process that was just being started may have missed the first signal.
                let _ = killpg(group, Signal::SIGKILL);
                std::thread::sleep(REAP_PAUSE);
            }
            _ => {}
        }
    }
    tracing::warn!(group = group.as_raw(), "the browser's processes were killed but are not gone yet");
}

fn does_not_listen(program: &Path) -> Failure {
    let driver = Brand::of_driver(&program.to_string_lossy()).driver();
    let program = program.display();
    environment(format!(
        "The driver {program} did not start to listen: is it really {driver}? Try `{program} --version`."
    ))
}

fn environment(message: String) -> Failure {
    Failure::new(FailureKind::Environment, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_driver_listens() {
        assert_eq!(port_of("1700000000000\tgeckodriver\tINFO\tListening on 127.0.0.1:39111"), Some(39111));
        assert_eq!(port_of("ChromeDriver was started successfully on port 39111."), Some(39111));
        assert_eq!(port_of("Starting ChromeDriver 156.0.8078.114 (0a1b2c) on port 0"), None);
    }
    /// A program that counts its starts, listens at the one that is named, and ends by itself before that.
    async fn started(listens_at: usize) -> (Result<u16, Failure>, usize) {
        let folder = tempfile::TempDir::new().unwrap();
        let program = folder.path().join("chromedriver");
        let script = format!(
            "#!/bin/sh\necho x >> \"$HOME/starts\"\n[ $(wc -l < \"$HOME/starts\") -lt {listens_at} ] && exit 1\n\
             echo 'ChromeDriver was started successfully on port 39111.'\nexec cat\n"
        );
        // Another process makes the program: a test that starts one just now would keep ours open for writing.
        let text = folder.path().join("text");
        std::fs::write(&text, script).unwrap();
        assert!(Command::new("install").args(["-m", "700"]).args([&text, &program]).status().unwrap().success());
        let home = folder.path();
        let around =
            Surroundings { zone: "UTC", home, mark: "test-starts", profile: home, headless: true, locale: "zh-CN" };
        let port = Driver::start(&program, &around).await.map(|driver| driver.port());
        let starts = std::fs::read_to_string(home.join("starts")).unwrap().lines().count();
        (port, starts)
    }

    #[tokio::test]
    async fn a_driver_that_found_its_port_taken_is_started_again() {
        let (port, starts) = started(2).await;
        assert_eq!((port.map_err(|failure| failure.message), starts), (Ok(39111), 2));
        let (port, starts) = started(9).await;
        assert_eq!((port.map_err(|failure| failure.kind), starts), (Err(FailureKind::Environment), STARTS));
    }
}
