//! A DokuWiki of one test's own, as Debian installs it, served by PHP itself.

use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use tempfile::TempDir;

use crate::support;

/// Where Debian's package puts the program.
const DOKUWIKI: &str = "/usr/share/dokuwiki";

/// The account that the wiki has.
pub const USER: &str = "xiaolin";
/// Its password.
pub const PASSWORD: &str = "Winter-Tee-41";

/// A wiki that runs until it is dropped.
pub struct Wiki {
    /// Such as `http://127.0.0.1:40123`.
    pub origin: String,
    folder: TempDir,
    server: Child,
}

impl Wiki {
    /// A new, empty wiki that prints times in this zone.
    pub fn start(zone: &str) -> Self {
        assert!(Path::new(DOKUWIKI).join("doku.php").exists(), "DokuWiki is not installed: `make test` does it");
        let folder = tempfile::Builder::new().prefix("sunup-wiki-").tempdir().expect("a temporary folder");
        let setup = php()
            .arg(support::project().join("tests/dokuwiki/setup.php"))
            .arg(folder.path())
            .args([USER, PASSWORD, zone])
            .status();
        assert!(setup.expect("php starts").success(), "setup.php failed");

        let mut server = php()
            .arg("-d")
            .arg(format!("auto_prepend_file={}", folder.path().join("prepend.php").display()))
            .args(["-S", "127.0.0.1:0", "-t", DOKUWIKI])
            .stderr(Stdio::piped())
            .spawn()
            .expect("php starts");
        let mut log = BufReader::new(server.stderr.take().expect("a pipe"));
        let origin = announced_origin(&mut log);
        // Nobody reads the rest, and a full pipe would stop the server.
        thread::spawn(move || io::copy(&mut log, &mut io::sink()));
        Wiki { origin, folder, server }
    }

    /// Every revision of every page below `journal:`, as the wiki's own files list them.
    pub fn revisions(&self) -> Vec<String> {
        lines_of(&self.folder.path().join("data/meta/journal"), "changes")
    }

    /// The text of every page below `journal:`.
    pub fn entries(&self) -> Vec<String> {
        lines_of(&self.folder.path().join("data/pages/journal"), "txt")
    }

    /// Another person writes a page.
    pub fn write_as(&self, author: &str, page: &str, text: &str) {
        // `php -r` knows no prepended file: the script names the wiki itself, or it would write into the system's own.
        let script = "[, $prepend, $author, $page, $text] = $argv;
            require $prepend;
            require '/usr/share/dokuwiki/inc/init.php';
            $INPUT->server->set('REMOTE_USER', $author);
            saveWikiText($page, $text, '');";
        let prepend = self.folder.path().join("prepend.php");
        let written = php().args(["-r", script, "--"]).arg(prepend).args([author, page, text]).status();
        assert!(written.expect("php starts").success(), "the page could not be written");
    }
}

impl Drop for Wiki {
    fn drop(&mut self) {
        // Both fail only for a server that has ended by itself.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn php() -> Command {
    let mut php = Command::new(support::program("php"));
    php.stdin(Stdio::null()).stdout(Stdio::null());
    php
}

/// PHP picks a free port, and says which in the first line of its log.
fn announced_origin(log: &mut impl BufRead) -> String {
    let mut line = String::new();
    log.read_line(&mut line).expect("php's first line");
    let origin = line.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|(origin, _)| origin.to_owned());
    origin.unwrap_or_else(|| panic!("php said instead of its address: {line}"))
}

fn lines_of(folder: &Path, ending: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|found| found == ending));
    files.sort();
    let texts = files.iter().map(|file| fs::read_to_string(file).expect("a file of the wiki"));
    texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}
