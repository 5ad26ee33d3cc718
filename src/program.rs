//! Programs that a user's files name: run without a shell, in a clean environment, within a time limit that holds for them
//! and for all that they start.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, Command};

/// What a program may see of the environment: enough for `pass` and its like to find their store and agent, no secret of
/// ours.
const PASSED_ON: [&str; 9] = [
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "GNUPGHOME",
    "PASSWORD_STORE_DIR",
    "SSH_AUTH_SOCK",
];

/// The environment as it was when the process started.
pub type Environment = BTreeMap<OsString, OsString>;

/// Where the user's programs are run.
#[derive(Clone)]
pub struct Programs {
    folder: PathBuf,
    environment: Environment,
}

/// How a program ended.
#[derive(Debug)]
pub struct Ended {
    /// What it printed, up to the bound that was given.
    pub printed: Vec<u8>,
    /// Its exit code; none when a signal ended it.
    pub code: Option<i32>,
}

/// Why nothing is known of a program. Its name and arguments are not repeated: arguments may be telling.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// No program is named.
    #[error("it is empty")]
    Empty,
    /// It cannot be started.
    #[error("it cannot be started ({0})")]
    NotStarted(std::io::Error),
    /// What it printed cannot be read.
    #[error("its output cannot be read ({0})")]
    Unreadable(std::io::Error),
    /// It took too long, and was ended.
    #[error("it did not end within {0:?}")]
    Slow(Duration),
}

impl Programs {
    /// Programs run in `folder`; of `environment` they see what they need to find their own files.
    pub fn new(folder: &Path, environment: &Environment) -> Self {
        let passed_on = PASSED_ON.iter().map(OsString::from);
        let passed_on = passed_on.filter_map(|name| Some((name.clone(), environment.get(&name)?.clone())));
        Programs { folder: folder.to_path_buf(), environment: passed_on.collect() }
    }

    /// Runs a program to its end, and ends what is left of it then. No more than `most` bytes of what it prints are kept;
    /// with 0 it prints into nothing.
    pub async fn run(&self, words: &[String], most: u64, limit: Duration) -> Result<Ended, Trouble> {
        let (program, arguments) = words.split_first().ok_or(Trouble::Empty)?;
        let mut child = Command::new(program)
            .args(arguments)
            .current_dir(&self.folder)
            .env_clear()
            .envs(&self.environment)
            .stdin(Stdio::null())
            .stdout(if most > 0 { Stdio::piped() } else { Stdio::null() })
            .stderr(Stdio::null())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(Trouble::NotStarted)?;
        let group = child.id();
        let ended = tokio::time::timeout(limit, end_of(&mut child, most)).await;
        end_group(group);
        ended.map_err(|_| Trouble::Slow(limit))?.map_err(Trouble::Unreadable)
    }
}

/// Without the environment, which holds secrets.
impl fmt::Debug for Programs {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Programs").field("folder", &self.folder).finish_non_exhaustive()
    }
}

async fn end_of(child: &mut Child, most: u64) -> std::io::Result<Ended> {
    let mut printed = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        stdout.take(most).read_to_end(&mut printed).await?;
    }
    Ok(Ended { printed, code: child.wait().await?.code() })
}

/// Ends whatever is left of the program, which may have started others.
fn end_group(group: Option<u32>) {
    if let Some(group) = group.and_then(|id| i32::try_from(id).ok()) {
        // Nothing is left in the usual case, which is an error here.
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
}
