//! What steps need to know of their site.

use std::collections::BTreeMap;

use super::file::File;
use super::yaml::Node;

/// What site.yaml says, for the steps of its tasks.
pub(super) struct SiteFacts<'a> {
    /// `site.yaml`.
    pub file: &'a File,
    /// False when site.yaml is no YAML: what refers to it is not judged then.
    pub sound: bool,
    /// Its origins.
    pub origins: Vec<String>,
    /// `shared:`, by name.
    pub shared: BTreeMap<String, &'a Node>,
    /// The steps of `points:`.
    pub points: Option<&'a Node>,
}

impl<'a> SiteFacts<'a> {
    /// Takes the facts out of the tree of site.yaml.
    pub fn of(file: &'a File, site: Option<&'a Node>, origins: Vec<String>) -> Self {
        let shared = site.and_then(|site| site.find("shared")).and_then(Node::entries).unwrap_or_default();
        SiteFacts {
            file,
            sound: site.is_some(),
            origins,
            shared: shared.iter().map(|entry| (entry.key.clone(), &entry.value)).collect(),
            points: site.and_then(|site| site.find("points")).and_then(|points| points.find("steps")),
        }
    }
}
