//! `heartbeat:`, of `sunup.yaml` and of a task.

use super::fields::Fields;
use super::file::File;
use super::model::TextSource;
use super::yaml::Node;

impl File {
    /// `{ url }`: a URL, or where it comes from.
    pub fn heartbeat(&self, node: &Node) -> Option<TextSource> {
        let fields = Fields::of(self, node, "heartbeat", &[&["url"]])?;
        let node = fields.need("url", "url: { env: HEARTBEAT_URL }")?;
        let source = self.text_source(node)?;
        if let TextSource::Plain(text) = &source
            && !url::Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
        {
            let cure = "write the whole of it, `https://…`, or where it comes from: { env: HEARTBEAT_URL }";
            self.wrong(node.span.clone(), "this is not a URL that can be pinged", cure);
            return None;
        }
        Some(source)
    }
}
