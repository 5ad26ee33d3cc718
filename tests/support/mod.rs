//! What tests that run the real program share: a folder of their own, a clean environment, a turn at the browser.

#![allow(dead_code)] // Each test takes what it needs of it.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sunup::clock::{Clock, SystemClock};
use tempfile::TempDir;
use tokio::process::{Child, Command};

/// No run of a test takes longer, unless something hangs.
const LIMIT: Duration = Duration::from_secs(300);

/// A folder of one test's own, removed with it: a home, programs of its own in front of the others, data.
pub struct Place {
    folder: TempDir,
}

/// What a program said and how it ended.
pub struct Outcome {
    /// The exit code; -1 for a program that a signal ended.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Place {
    /// A new, empty place.
    pub fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("sunup-test-").tempdir().expect("a temporary folder");
        for name in ["home", "bin", "tmp"] {
            fs::create_dir(folder.path().join(name)).expect("an empty folder");
        }
        Place { folder }
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The real program with these arguments, and with nothing of the caller's environment but what every program needs.
    pub fn sunup(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sunup"));
        command.args(arguments).env_clear().current_dir(self.folder.path());
        command.env("PATH", self.programs()).env("HOME", self.path("home")).env("LANG", "C.UTF-8");
        command.env("TMPDIR", self.path("tmp"));
        command.stdin(Stdio::null()).kill_on_drop(true);
        command
    }

    fn programs(&self) -> OsString {
        let own = [self.path("bin"), project().join(".cache/bin")];
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::join_paths(own.into_iter().chain(std::env::split_paths(&path))).expect("folders without a colon")
    }

    /// Puts drivers in front that leave a mark each time one is started. [`Place::browser_starts`] counts them.
    pub fn count_browser_starts(&self) {
        for driver in ["geckodriver", "chromedriver"] {
            let script = format!(
                "#!/bin/sh\necho started >> '{}'\nexec '{}' \"$@\"\n",
                self.path("starts").display(),
                program(driver).display(),
            );
            write_program(&self.path("bin").join(driver), &script);
        }
    }

    /// The processes that were started from here: their PATH names this place. Zombies do not count.
    pub fn processes(&self) -> Vec<String> {
        let own = self.path("bin").display().to_string();
        let processes = fs::read_dir("/proc").expect("/proc").flatten();
        let ours = processes.filter(|process| {
            let environment = fs::read(process.path().join("environ")).unwrap_or_default();
            String::from_utf8_lossy(&environment).contains(&own)
        });
        let name = |process: fs::DirEntry| fs::read_to_string(process.path().join("comm")).unwrap_or_default();
        ours.map(name).map(|name| name.trim().to_owned()).collect()
    }

    /// How often the driver was started.
    pub fn browser_starts(&self) -> usize {
        fs::read_to_string(self.path("starts")).map_or(0, |marks| marks.lines().count())
    }
}

/// Waits until this holds; fails when it does not in any bearable time.
pub async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let clock = SystemClock::new();
    while !holds() {
        assert!(clock.uptime() < LIMIT, "waited in vain until {what}");
        clock.sleep_real(Duration::from_millis(5)).await;
    }
}

/// Runs it to its end.
pub async fn run(command: Command) -> Outcome {
    ended(start(command)).await
}

/// Starts it; [`ended`] waits for what it says.
pub fn start(mut command: Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
}

/// Waits until it has ended.
pub async fn ended(program: Child) -> Outcome {
    let output = tokio::time::timeout(LIMIT, program.wait_with_output()).await;
    let output = output.expect("the program ends in time").expect("the program runs");
    Outcome {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "exit code {}\n── stdout\n{}\n── stderr\n{}", self.code, self.stdout, self.stderr)
    }
}

/// The folder of `Cargo.toml`.
pub fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A program on PATH, or one that `make` has built.
pub fn program(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(&path).chain([project().join(".cache/bin")]);
    let found = folders.find_map(|folder| Some(folder.join(name)).filter(|program| program.is_file()));
    found.unwrap_or_else(|| panic!("`{name}` is not on PATH: `make test` installs what the tests need"))
}

/// Browsers that may be at work at one time, over all tests: more of them only make each other slow.
const BROWSERS: usize = 2;

/// Waits until there is room for one more browser; the turn ends when the answer is dropped.
pub fn browser_turn() -> File {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    let lock = |number: usize| {
        let name = format!("browser-{number}.lock");
        File::create(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)).expect("a lock file")
    };
    let free = (0..BROWSERS).map(lock).find(|turn| turn.try_lock().is_ok());
    free.unwrap_or_else(|| {
        let turn = lock(ASKED.fetch_add(1, Ordering::Relaxed) % BROWSERS);
        turn.lock().expect("a lock");
        turn
    })
}

fn write_program(path: &Path, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    fs::write(path, script).expect("a script");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a script that can be run");
}
