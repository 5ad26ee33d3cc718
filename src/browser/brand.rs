//! Which browser a driver drives, and what each is called on this machine.

use std::fmt;

/// A browser with its driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Brand {
    /// Firefox by geckodriver.
    Firefox,
    /// Chromium or Chrome by chromedriver.
    Chromium,
}

impl Brand {
    /// Whose driver a program is, by its name or path: what is not called chromedriver is taken for geckodriver.
    pub fn of_driver(program: &str) -> Self {
        let name = program.rsplit('/').next().unwrap_or(program);
        if name.starts_with("chromedriver") { Brand::Chromium } else { Brand::Firefox }
    }

    /// The usual name of its driver.
    pub fn driver(self) -> &'static str {
        match self {
            Brand::Firefox => "geckodriver",
            Brand::Chromium => "chromedriver",
        }
    }

    /// The names under which the browser itself is looked for, best first.
    pub(super) fn programs(self) -> &'static [&'static str] {
        match self {
            Brand::Firefox => &["firefox", "firefox-esr"],
            Brand::Chromium => &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"],
        }
    }

    /// How the driver is installed.
    pub(super) fn driver_cure(self) -> &'static str {
        match self {
            Brand::Firefox => "`cargo install --locked geckodriver`",
            Brand::Chromium => "`apt-get install chromium-driver`",
        }
    }

    /// How the browser is installed.
    pub(super) fn browser_cure(self) -> &'static str {
        match self {
            Brand::Firefox => "`apt-get install firefox-esr`",
            Brand::Chromium => "`apt-get install chromium`",
        }
    }

    /// How both are brought to versions that fit together.
    pub(super) fn update_cure(self) -> &'static str {
        match self {
            Brand::Firefox => {
                "update both, with `apt-get install firefox-esr` and `cargo install --locked geckodriver`"
            }
            Brand::Chromium => {
                "update both, with `apt-get install chromium chromium-driver`; a Chrome from elsewhere needs the \
                 chromedriver of its own version"
            }
        }
    }
}

impl fmt::Display for Brand {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Brand::Firefox => "Firefox",
            Brand::Chromium => "Chromium",
        })
    }
}
