//! Firefox by geckodriver, Chromium by chromedriver: the driver process, the session, the steps, the typed readers, the challenge rules.

mod act;
mod brand;
mod by_hand;
pub mod challenge;
mod command;
mod cookies;
pub mod driver;
mod find;
mod locator;
mod look;
mod page;
mod picture;
mod read;
pub mod scratch;
mod section;
mod session;
mod steps;
pub mod sweep;
pub mod visit;
mod wire;

pub use brand::Brand;
pub use by_hand::looks_unnoticed;
pub use command::{Action, Browser, Command, Context, Element, Refusal, Response, Tab};
pub use cookies::{Cookie, Cookies};
pub use scratch::Scratch;
pub use session::{RealBrowser, SCRATCH, StartOptions};
