//! A picture of a page that failed, with everything that was typed blacked out. No page source is ever kept.

use serde_json::json;

use super::command::{Action, Response};
use super::steps::Walk;
use crate::run::FailureKind;

impl Walk<'_, '_> {
    /// Takes a picture and writes it; its file name, or none where there is no picture to take or no room for it.
    pub(super) async fn picture(&mut self, kind: FailureKind) -> Option<String> {
        let folder = self.visit.pictures?;
        let context = self.context.clone();
        let origins = &self.visit.site.origins;
        let masked = self.page(&context, "mask", vec![json!(true), json!(origins)]).await;
        // Without the mask no picture: it could show what was typed.
        if !matches!(masked, Ok(Ok(_))) {
            return None;
        }
        let taken = self.ask(&context, Action::Picture).await;
        let _ = self.page(&context, "mask", vec![json!(false), json!([])]).await;
        let Ok(Response::Picture(bytes)) = taken else { return None };
        let name = format!("{}-{kind}.png", self.visit.clock.now().format("%Y%m%dT%H%M%S%3fZ"));
        let written = std::fs::create_dir_all(folder).and_then(|()| write_private(&folder.join(&name), &bytes));
        match written {
            Ok(()) => Some(name),
            Err(error) => {
                tracing::warn!(%error, "the picture of a failure was not written");
                None
            }
        }
    }
}

/// For its owner's eyes: pictures show accounts.
fn write_private(file: &std::path::Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(file)?.write_all(bytes)
}
