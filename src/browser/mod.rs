//! Firefox by geckodriver: the driver process, the session, the steps, the typed readers, the challenge rules.

mod act;
pub mod challenge;
mod command;
pub mod driver;
mod find;
mod locator;
mod look;
mod page;
mod picture;
mod read;
mod section;
mod session;
mod steps;
pub mod visit;
mod wire;

pub use command::{Action, Browser, Command, Context, Element, Refusal, Response, Tab};
pub use session::{Firefox, StartOptions};
