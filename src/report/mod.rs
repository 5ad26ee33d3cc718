//! The morning's report: collected as data ([`Report`]), put into words and pages ([`render`]).

mod clean;
mod model;
mod points;
mod render;
mod summary;
mod view;
mod words;

#[cfg(test)]
mod samples;

pub use model::{
    AccountPoints, Alert, Amount, CrossCheck, Expected, NextRun, PointRow, PointsRead, Reason, Rehearsal, Report,
    TaskRun, Ticket,
};
pub use points::{Credit, Sum};
pub use render::{RenderError, Rendered, render};
pub use summary::{Section, Summary};
pub use words::Words;
