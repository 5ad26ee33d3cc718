//! The sample files, and edits of them that must be refused.

use super::*;
use std::path::Path;

#[test]
fn peek() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/format");
    match load(&root) {
        Ok(project) => println!("{}", project.sites.len()),
        Err(faults) => println!("{}", faults.render(false)),
    }
}
