//! Printing results: tables for people, JSON for programs.

use std::io::Write;

use comfy_table::{ContentArrangement, Table, presets};
use serde::Serialize;

/// Prints a line; somebody who closed the pipe has read enough.
pub fn line(text: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

/// Prints a value as JSON.
pub fn json<T: Serialize>(value: &T) {
    match serde_json::to_string_pretty(value) {
        Ok(text) => line(&text),
        Err(error) => eprintln!("sunup: no JSON: {error}"),
    }
}

/// Prints rows under a header; columns line up, Chinese included.
pub fn table(header: &[String], rows: Vec<Vec<String>>) {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic).set_header(header);
    for row in rows {
        table.add_row(row);
    }
    line(&table.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n"));
}
