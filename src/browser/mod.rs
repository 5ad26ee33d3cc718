//! Firefox by geckodriver, Chromium by chromedriver: the driver process, the session, the steps, the typed readers, the challenge rules.

mod act;
mod brand;
pub mod challenge;
mod command;
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
pub use command::{Action, Browser, Command, Context, Element, Refusal, Response, Tab};
pub use scratch::Scratch;
pub use session::{RealBrowser, SCRATCH, StartOptions};
