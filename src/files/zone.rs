//! Names of time zones.

use chrono_tz::{TZ_VARIANTS, Tz};

use super::file::File;
use super::nearest::nearest;
use super::yaml::Node;

impl File {
    /// An IANA name. Abbreviations are refused: `CST` is four different zones, `EST` has no summer time.
    pub fn zone(&self, node: &Node) -> Option<Tz> {
        let name = self.words(node)?;
        let abbreviation =
            !name.contains('/') && name.len() <= 5 && name != "UTC" && name.bytes().all(|b| b.is_ascii_uppercase());
        if abbreviation {
            let cure = match name {
                "CST" => "write `Asia/Shanghai` or `America/Chicago`: CST is the name of several zones",
                _ => "write a region and a city, such as `Asia/Shanghai` or `America/New_York`, or `UTC`",
            };
            self.wrong(node.span.clone(), format!("`{name}` is an abbreviation, not a time zone"), cure);
            return None;
        }
        if let Ok(zone) = name.parse() {
            return Some(zone);
        }
        let known = TZ_VARIANTS.iter().map(|zone| zone.name());
        let same = known.clone().find(|known| known.eq_ignore_ascii_case(name));
        let cure = match same.or_else(|| nearest(name, known)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "write a name of the IANA list, such as `Asia/Shanghai`".to_owned(),
        };
        self.wrong(node.span.clone(), format!("there is no time zone `{name}`"), cure);
        None
    }
}
