//! `calendars:` of sunup.yaml: files of public holidays, and the last good copy of each in the data folder.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono_tz::Tz;

use super::file::File;
use super::ics;
use super::model::CalendarFile;
use super::nearest::nearest;
use super::yaml::Node;
use crate::timing::Holidays;

/// A country's holidays of ten years have 100 KB.
const LARGEST: u64 = 4 << 20;

/// Where calendar files lie, and their copies.
#[derive(Clone, Copy)]
pub(super) struct CalendarFolders<'a> {
    /// The folder of sunup.yaml.
    pub root: &'a Path,
    /// The data folder's `calendars/`, where there is one.
    pub copies: Option<&'a Path>,
}

/// The calendars that schedules may name. One that is broken is among them: it was said already.
#[derive(Debug, Default)]
pub(super) struct Calendars {
    named: Vec<Arc<Holidays>>,
    /// The files that were taken.
    pub files: Vec<CalendarFile>,
}

impl File {
    /// `calendars: { cn: cn.ics }`. `zone` is the runner's.
    pub fn calendars(&self, node: Option<&Node>, folders: CalendarFolders<'_>, zone: Option<Tz>) -> Calendars {
        let mut calendars = Calendars::default();
        for entry in node.and_then(|node| self.map(node, "map of calendars")).unwrap_or_default() {
            let name = entry.key.as_str();
            let path = self.id(name, &entry.key_span, "a calendar").then(|| self.words(&entry.value)).flatten();
            let found = path.and_then(|path| self.calendar_file(&entry.value, name, path, folders, zone?));
            calendars
                .named
                .push(found.as_ref().map_or_else(|| Arc::new(Holidays::named(name)), |file| file.holidays.clone()));
            calendars.files.extend(found);
        }
        calendars
    }

    fn calendar_file(
        &self,
        node: &Node,
        name: &str,
        path: &str,
        folders: CalendarFolders<'_>,
        zone: Tz,
    ) -> Option<CalendarFile> {
        let file = |(bytes, holidays): (Vec<u8>, Holidays), broken| CalendarFile {
            path: PathBuf::from(path),
            holidays: Arc::new(holidays),
            broken,
            bytes: bytes.into(),
        };
        let why = match read(&folders.root.join(path), name, zone) {
            Ok(good) => return Some(file(good, None)),
            Err(why) => why,
        };
        let copy = folders.copies.and_then(|copies| read(&copy_in(copies, name), name, zone).ok());
        if let Some(copy) = copy {
            return Some(file(copy, Some(why)));
        }
        let cure = "put a whole .ics file of public holidays there; relative paths start at sunup.yaml";
        self.wrong(node.span.clone(), format!("the calendar `{path}` cannot be used: {why}"), cure);
        None
    }

    /// `calendar: cn` of a schedule.
    pub(super) fn holidays(&self, node: &Node, calendars: &Calendars) -> Option<Arc<Holidays>> {
        let name = self.words(node)?;
        let found = calendars.named.iter().find(|calendar| calendar.name == name);
        if found.is_none() {
            let names = || calendars.named.iter().map(|calendar| calendar.name.as_str());
            let cure = match nearest(name, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("write `calendars: {{ {name}: {name}.ics }}` in sunup.yaml, with the path of the file"),
            };
            self.wrong(node.span.clone(), format!("there is no calendar `{name}`"), cure);
        }
        found.cloned()
    }
}

fn read(path: &Path, name: &str, zone: Tz) -> Result<(Vec<u8>, Holidays), String> {
    let unreadable = |error: io::Error| format!("it cannot be read: {error}");
    // Asked before it is opened: to open a pipe waits for whoever writes into it.
    if !fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err("it is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    fs::File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST {
        return Err("it is larger than 4 MiB".to_owned());
    }
    let holidays = ics::holidays(name, &bytes, zone)?;
    Ok((bytes, holidays))
}

fn copy_in(copies: &Path, name: &str) -> PathBuf {
    copies.join(format!("{name}.ics"))
}

/// Keeps a copy of each good calendar file, to go on with should the file be broken one day.
pub fn keep_calendars(files: &[CalendarFile], copies: &Path) -> io::Result<()> {
    for file in files.iter().filter(|file| file.broken.is_none()) {
        let copy = copy_in(copies, &file.holidays.name);
        if fs::read(&copy).is_ok_and(|kept| *kept == *file.bytes) {
            continue;
        }
        fs::create_dir_all(copies)?;
        // Two runs at once, or a full disk, leave a whole copy behind: the old one or the new one.
        let mut new = tempfile::NamedTempFile::new_in(copies)?;
        new.write_all(&file.bytes)?;
        new.as_file().sync_all()?;
        new.persist(&copy)?;
    }
    Ok(())
}
