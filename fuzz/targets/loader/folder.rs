//! A folder that somebody wrote, or a broken disk left behind: it loads, or every fault has a place and a cure.
//!
//! The bytes are a task file, `site.yaml` and `sunup.yaml`, with a byte 0xff between them; an empty one, or one that is
//! missing, is the good sample.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use sunup::files;

const SAMPLES: [(&str, &[u8]); 3] = [
    ("tasks/community/checkin.yaml", include_bytes!("../../../tests/format/tasks/community/checkin.yaml")),
    ("tasks/community/site.yaml", include_bytes!("../../../tests/format/tasks/community/site.yaml")),
    ("sunup.yaml", b"format: 1\ntimezone: Asia/Shanghai\n"),
];

/// One folder for the whole process; each input writes its three files over those of the last.
fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder").keep();
        fs::create_dir_all(folder.join("tasks/community")).expect("a folder");
        folder
    })
}

/// Writes and loads it.
pub fn judge(data: &[u8]) {
    let mut parts = data.splitn(SAMPLES.len(), |byte| *byte == 0xff);
    for (file, sample) in SAMPLES {
        let written = parts.next().filter(|part| !part.is_empty()).unwrap_or(sample);
        fs::write(root().join(file), written).expect("a file is written");
    }
    let Err(faults) = files::load(root()) else { return };
    assert!(!faults.is_empty(), "refused without a fault");
    for fault in &faults {
        assert!(!fault.message.is_empty() && !fault.cure.is_empty(), "{fault:?}");
        assert!(fault.place.line > 0 && fault.place.column > 0, "{fault:?}");
    }
    assert!(!faults.render(false).is_empty());
    faults.render(true);
    serde_json::to_string(&faults).expect("faults have a JSON");
}
