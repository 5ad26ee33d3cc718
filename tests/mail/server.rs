//! A real mail server as a child process, and an independent parser for what it kept.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// Debian's own Python, which has `python3-aiosmtpd`; another one on PATH may not.
const PYTHON: &str = "/usr/bin/python3";

/// A running server.
pub struct Server {
    pub port: u16,
    folder: TempDir,
    child: Child,
}

impl Server {
    /// Starts it with these further arguments of `server.py`.
    pub fn start(arguments: &[&str]) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(PYTHON)
            .arg(script("server.py"))
            .arg(folder.path())
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Debian's python3 and python3-aiosmtpd are installed");
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.trim().parse().expect("the server prints its port; is python3-aiosmtpd installed?");
        Server { port, folder, child }
    }

    /// The mail with this number, from 1, as Python's parser reads it.
    pub fn mail(&self, number: usize) -> serde_json::Value {
        let output = Command::new(PYTHON).arg(script("read.py")).arg(self.file(number)).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// The bytes of that mail as they came in.
    pub fn raw(&self, number: usize) -> Vec<u8> {
        std::fs::read(self.file(number)).unwrap()
    }

    fn file(&self, number: usize) -> PathBuf {
        self.folder.path().join(format!("{number}.eml"))
    }

    /// How many mails it kept.
    pub fn count(&self) -> usize {
        let files = std::fs::read_dir(self.folder.path()).unwrap();
        files.filter(|file| file.as_ref().unwrap().path().extension().is_some_and(|ending| ending == "eml")).count()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It ends with its stdin; killing it as well costs nothing.
        drop(self.child.stdin.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn script(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mail").join(name)
}
