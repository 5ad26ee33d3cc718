//! `sunup open`: a link of one use to the status page.

use anyhow::Result;
use serde_json::json;

use super::exit::Exit;
use super::{Common, folders, show};
use crate::clock::{Clock, SystemClock};
use crate::serve::http::{NoLink, make_link};

/// Prints the link. Who may read the data folder may open the page.
pub(super) fn open(common: &Common) -> Result<Exit> {
    let data = folders::data(common).map_err(anyhow::Error::msg)?;
    match make_link(&data, SystemClock::new().now()) {
        Ok(link) if common.json => show::json(&json!({ "link": link })),
        Ok(link) => show::line(&link),
        Err(none @ NoLink::NoDaemon(_)) => {
            eprintln!("sunup: {none}");
            return Ok(Exit::Usage);
        }
        Err(fault) => return Err(fault.into()),
    }
    Ok(Exit::Ok)
}
