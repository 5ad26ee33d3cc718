//! A site, its accounts and its sign-in.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{Act, Place, SecretSource, Section, Target, Task, TextSource};
use crate::timing::Calendar;

/// `tasks/<site>/site.yaml` and the tasks beside it.
#[derive(Debug, Clone)]
pub struct Site {
    /// The folder's name.
    pub id: String,
    /// For people.
    pub name: String,
    /// `https://host[:port]`, without a path; paths are relative to the first.
    pub origins: Vec<String>,
    /// When the site's day begins.
    pub calendar: Calendar,
    /// In the order written.
    pub accounts: Vec<Account>,
    /// How to sign in.
    pub sign_in: SignIn,
    /// The points read-back: reads `details` and perhaps `balance`.
    pub points: Option<Section>,
    /// The screen that the browser has.
    pub viewport: Viewport,
    /// Decimal comma: `1.234,5`.
    pub decimal_comma: bool,
    /// Language tag of the browser, such as `zh-CN`.
    pub locale: String,
    /// Own rules for pages that ask for a person, looked at before the built-in ones.
    pub challenges: Vec<OwnChallenge>,
    /// The user's word that this site may be automated with these accounts, and who answers for it.
    pub owner: Option<String>,
    /// The tasks, in the order of their ids.
    pub tasks: Vec<Task>,
    /// `site.yaml`, for messages.
    pub place: Place,
}

impl Site {
    /// The identity of one of its tasks: `community/checkin`.
    pub fn task_path(&self, task: &Task) -> String {
        format!("{}/{}", self.id, task.id)
    }

    /// The account of this id.
    pub fn account(&self, id: &str) -> Option<&Account> {
        self.accounts.iter().find(|account| account.id == id)
    }
}

/// `viewport:` of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Viewport {
    /// 1280 × 900.
    #[default]
    Desktop,
    /// 412 × 915.
    Mobile,
}

/// One of `challenges:` in `site.yaml`.
#[derive(Debug, Clone)]
pub struct OwnChallenge {
    /// A failure kind's word, such as `captcha`.
    pub kind: String,
    /// Displayed when the page asks.
    pub when: Target,
}

/// One person's login on a site.
#[derive(Debug, Clone)]
pub struct Account {
    /// The key in `accounts:`.
    pub id: String,
    /// The user name.
    pub username: TextSource,
    /// The password; none where a person signs in.
    pub password: Option<SecretSource>,
    /// `account.vars.x`.
    pub vars: BTreeMap<String, String>,
}

/// `sign_in:`. Its `verify` is always `check`.
#[derive(Debug, Clone)]
pub struct SignIn {
    /// Reads who is signed in.
    pub check: Section,
    /// Signs in.
    pub act: Act,
    /// `session:`: how long the site keeps somebody signed in.
    pub session: Option<Duration>,
}
