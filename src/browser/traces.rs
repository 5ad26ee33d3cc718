//! What browsers write down of the pages that they showed, besides the sessions that are to last: addresses, typed words,
//! whole answers, pictures of their own memory. Some of it can only be removed, not switched off.

use std::fs;
use std::path::Path;

/// Below a profile. Where a name ends with `*`, whatever begins so.
const TRACES: &[&str] = &[
    // Firefox.
    "cache2",
    "crashes",
    "formhistory.sqlite*",
    "logins.json",
    "minidumps",
    "sessionstore*",
    "thumbnails",
    // Chromium.
    "BrowserMetrics*",
    "Crashpad",
    "Default/Cache",
    "Default/Code Cache",
    "Default/Current *",
    "Default/Favicons*",
    "Default/History*",
    "Default/Last *",
    "Default/Login Data*",
    "Default/Network Action Predictor*",
    "Default/Sessions",
    "Default/Shortcuts*",
    "Default/Top Sites*",
    "Default/Visited Links",
    "Default/Web Data*",
];

/// Removes them from a profile that no browser uses. What cannot be removed is told in the log: it stops no morning.
pub fn forget(profile: &Path) {
    for trace in TRACES {
        let (folder, name) =
            trace.rsplit_once('/').map_or((profile.to_owned(), *trace), |(folder, name)| (profile.join(folder), name));
        let fits = |found: &str| match name.strip_suffix('*') {
            Some(start) => found.starts_with(start),
            None => found == name,
        };
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.file_name().to_str().is_some_and(fits)) {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let removed = if is_folder { fs::remove_dir_all(entry.path()) } else { fs::remove_file(entry.path()) };
            if let Err(error) = removed {
                tracing::warn!(path = %entry.path().display(), "a trace of the browser was not removed: {error}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_go_and_sessions_stay() {
        let folder = tempfile::tempdir().unwrap();
        let stays = ["cookies.sqlite", "prefs.js", "storage/default/x", "Default/Cookies", "Default/Local Storage/y"];
        let goes = ["cache2/entries/1", "formhistory.sqlite-wal", "sessionstore-backups/a.jsonlz4", "Default/History"];
        for file in stays.iter().chain(&goes) {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        forget(folder.path());
        assert!(stays.iter().all(|file| folder.path().join(file).exists()));
        assert!(goes.iter().all(|file| !folder.path().join(file).exists()));
        forget(&folder.path().join("not there"));
    }
}
