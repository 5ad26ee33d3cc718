//! The pages of `fixtures/challenges/`, read and made ready to be served. Its README has the grammar.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use minijinja::{Environment, UndefinedBehavior, context};
use regex::Regex;
use serde::Deserialize;
use serde_json::Value as Json;
use sunup::fixture::Page;
use url::Url;

/// The site whose tasks are run.
pub const HOME: &str = "https://community.example/";
/// Where its sign-in form is.
const SIGN_IN: &str = "https://community.example/login";
/// How many times as fast as the pages were written for everything goes.
pub const PACE: u32 = 10;

/// One page and what becomes of a task there.
#[derive(Debug)]
pub struct Case {
    /// The file's name.
    pub group: String,
    pub name: String,
    /// Failure kinds, or `ok`. Any of them is right.
    pub expected: Vec<String>,
    /// By request, such as `GET community.example/home`.
    pub pages: BTreeMap<String, Page>,
    /// What the task does.
    pub does: Does,
    /// The origins that the site names as its own.
    pub origins: Vec<String>,
    /// What the server must have got.
    pub counted: Vec<(String, u64)>,
}

#[derive(Debug)]
pub enum Does {
    /// Opens a page, presses its button, and waits for what is to come then.
    Press { within: Option<String>, expect: Option<String> },
    /// Opens a page with a form, fills it in, and submits it.
    SignIn { open: String },
    /// Asks for this path.
    Fetch { path: String },
}

impl Case {
    /// The task is to go on.
    pub fn is_harmless(&self) -> bool {
        self.expected == ["ok"]
    }
}

/// Every page of a folder.
pub fn load(folder: &Path) -> Vec<Case> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("an entry of the folder").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "yaml"))
        .collect();
    files.sort();
    files.iter().flat_map(|file| load_file(file)).collect()
}

/// The hosts that the pages name, all of which the proxy answers for.
pub fn hosts(cases: &[Case]) -> BTreeSet<String> {
    let named = Regex::new(r"https://([a-z0-9.-]+)").expect("a pattern");
    let served = cases.iter().flat_map(|case| case.pages.keys()).filter_map(|key| key.split(['/', ' ']).nth(1));
    let in_bodies = cases.iter().flat_map(|case| case.pages.values()).flat_map(|page| named.captures_iter(&page.body));
    served.map(str::to_owned).chain(in_bodies.map(|found| found[1].to_owned())).collect()
}

/// What a file says of a page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    expected: Json,
    each: Option<Vec<Json>>,
    at: Option<String>,
    status: Option<Json>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    title: Option<String>,
    body: String,
    #[serde(default)]
    raw: bool,
    #[serde(default)]
    also: BTreeMap<String, String>,
    #[serde(default)]
    foreign: bool,
    #[serde(default)]
    sign_in: bool,
    fetch: Option<String>,
    within: Option<String>,
    expect: Option<String>,
    #[serde(default)]
    clicks: bool,
    answer: Option<Answer>,
}

/// What a submitted form is answered with.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    at: Option<String>,
    status: Option<Json>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    title: Option<String>,
    body: String,
}

fn load_file(file: &Path) -> Vec<Case> {
    let group = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let entries: Vec<Entry> =
        serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut cases = Vec::new();
    for entry in &entries {
        match &entry.each {
            None => cases.push(case(group, entry, None)),
            Some(each) => cases.extend(each.iter().map(|each| case(group, entry, Some(word(each))))),
        }
    }
    let names: BTreeSet<_> = cases.iter().map(|case| &case.name).collect();
    assert_eq!(names.len(), cases.len(), "{}: a name is there twice", file.display());
    cases
}

fn case(group: &str, entry: &Entry, each: Option<String>) -> Case {
    let name = each.as_ref().map_or(entry.name.clone(), |each| format!("{}: {each}", entry.name));
    let made = Made { place: format!("{group}: {name}"), each: each.unwrap_or_default() };
    let usual = match (&entry.fetch, entry.sign_in) {
        (Some(path), _) => format!("{HOME}{}", path.trim_start_matches('/')),
        (None, true) => SIGN_IN.to_owned(),
        (None, false) => HOME.to_owned(),
    };
    let at = made.text(entry.at.as_ref().unwrap_or(&usual));
    let title = entry.title.as_deref().unwrap_or("社区");
    let mut pages = BTreeMap::from([("GET community.example/".to_owned(), Page::html("<!doctype html><h1>社区</h1>"))]);
    if at != HOME && entry.fetch.is_none() {
        pages.insert("GET community.example/".to_owned(), Page::redirect(302, &at));
    }
    pages.insert(key("GET", &at), made.page(&entry.status, &entry.headers, (!entry.raw).then_some(title), &entry.body));
    for (url, body) in &entry.also {
        pages.insert(key("GET", &made.text(url)), made.page(&None, &BTreeMap::new(), Some("-"), body));
    }
    let took = ("POST".to_owned(), host(&at));
    pages.insert(format!("POST {}/did", took.1), Page::html(""));
    if let Some(answer) = &entry.answer {
        let page =
            made.page(&answer.status, &answer.headers, Some(answer.title.as_deref().unwrap_or("社区")), &answer.body);
        let submitted = format!("POST {}/login", took.1);
        match &answer.at {
            None => pages.insert(submitted, page),
            Some(to) => {
                let to = made.text(to);
                pages.insert(submitted, Page::redirect(303, &to));
                pages.insert(key("GET", &to), page)
            }
        };
    }
    let expected = match &entry.expected {
        Json::Array(kinds) => kinds.iter().map(word).collect(),
        kind => vec![word(kind)],
    };
    let presses = entry.fetch.is_none() && !entry.sign_in;
    let harmless = expected == ["ok"];
    let counted = vec![
        ("/did".to_owned(), u64::from(presses && (harmless || entry.clicks))),
        ("/login".to_owned(), u64::from(entry.answer.is_some())),
    ];
    let does = match &entry.fetch {
        Some(path) => Does::Fetch { path: path.clone() },
        None if entry.sign_in => Does::SignIn { open: at.clone() },
        None => Does::Press { within: entry.within.clone(), expect: entry.expect.clone() },
    };
    let mut origins = vec![origin(HOME)];
    if !entry.foreign && origin(&at) != origins[0] {
        origins.push(origin(&at));
    }
    Case { group: group.to_owned(), name, expected, pages, does, origins, counted }
}

/// Where a page is made, and the word that stands for `each` in it.
struct Made {
    place: String,
    each: String,
}

impl Made {
    fn page(&self, status: &Option<Json>, headers: &BTreeMap<String, String>, title: Option<&str>, body: &str) -> Page {
        let body = self.text(body);
        let body = match title {
            Some(title) => format!(
                "<!doctype html><html lang=\"zh-CN\"><head><meta charset=\"utf-8\"><title>{}</title></head><body>{body}</body></html>",
                self.text(title)
            ),
            None => body.trim_end().to_owned(),
        };
        let mut page = Page::html(body);
        if let Some(status) = status {
            let status = self.text(&word(status));
            page.status = status.parse().unwrap_or_else(|_| panic!("{}: no status: {status}", self.place));
        }
        for (name, value) in headers {
            page.headers.retain(|(known, _)| known != name);
            page.headers.push((name.clone(), self.text(value)));
        }
        page
    }

    /// A text with its shorthand written out.
    fn text(&self, text: &str) -> String {
        let scene = context! {
            each => &self.each,
            button => BUTTON,
            parked => "position:absolute;left:-10000px;top:-10000px;visibility:hidden;opacity:0",
            over => "position:fixed;left:40px;top:40px;z-index:9999;background:#fff",
            picture => PICTURE,
            dense => dense(),
        };
        shorthand().render_str(text, scene).unwrap_or_else(|error| panic!("{}: {error:#}", self.place))
    }
}

/// Tells the server before anything else can happen.
const BUTTON: &str = "<button type=\"button\" id=\"go\" onclick=\"const x = new XMLHttpRequest; x.open('POST', '/did', false); x.send()\">签到</button>";

/// A square with something in it.
const PICTURE: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='90' height='90'%3E%3Cpath d='M9 9h30v30H9zM50 50h30v30H50z'/%3E%3C/svg%3E";

fn shorthand() -> Environment<'static> {
    let mut language = Environment::new();
    language.set_undefined_behavior(UndefinedBehavior::Strict);
    language.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    language.add_function("ms", |span: u32| span / PACE);
    language.add_function("frame", |url: &str, width: u32, height: u32| {
        format!("<div style=\"width:{width}px;height:{height}px\"><iframe src=\"{url}\" style=\"width:{width}px;height:{height}px;border:0\"></iframe></div>")
    });
    language.add_function("loaded", |then: &str| {
        format!("<div id=\"late\" style=\"visibility:hidden\">{then}</div><script>onload = () => late.style.visibility = 'visible'</script>")
    });
    language.add_function("login", |more: Option<&str>| {
        format!(
            "<form method=\"post\" action=\"/login\"><label>用户名<input name=\"user\"></label><label>密码<input type=\"password\" name=\"pass\"></label>{}<button>登录</button></form>",
            more.unwrap_or_default()
        )
    });
    language.add_function("turnstile", |title: &str, width: Option<u32>, height: Option<u32>| {
        format!(
            "<script>host.attachShadow({{mode: 'closed'}}).innerHTML = '<iframe title=\"{title}\" src=\"https://challenges.cloudflare.com/cdn-cgi/challenge-platform/h/b/turnstile/if/ov2/x\" style=\"width:{}px;height:{}px;border:0\"></iframe>'</script>",
            width.unwrap_or(300),
            height.unwrap_or(65)
        )
    });
    language.add_function("cloudflare", |host: &str| {
        format!(
            "<div class=\"main-wrapper\"><div class=\"main-content\"><h1 class=\"zone-name-title\">{host}</h1><p>Verifying you are human. This may take a few seconds.</p></div></div><script>window._cf_chl_opt = {{cType: 'managed', cRay: '8a1'}}</script><script src=\"/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=8a1\"></script>"
        )
    });
    language.add_function("gt4", |box_style: &str| {
        format!(
            "<div class=\"geetest_captcha_4978d6c9 geetest_captcha geetest_float geetest_nextReady\"><div class=\"geetest_holder\" aria-label=\"点击按钮开始验证\" style=\"width:300px;height:44px\"><div class=\"geetest_tip\">点击按钮开始验证</div></div><div class=\"geetest_box_wrap\" style=\"{box_style}\"><div class=\"geetest_box\" style=\"width:340px;height:340px\">关闭验证 刷新验证</div></div></div>"
        )
    });
    language
}

/// What makes a page a dense one: much to read, and many links.
fn dense() -> String {
    let links: String = (1..=36).map(|n| format!("<a href=\"/article/{n}\">第 {n} 篇</a> ")).collect();
    let text = "清晨的菜市场里，卖豆腐的老人总是第一个摆好摊子，邻居们路过时互相问一声早，然后各自去买当天的菜。";
    format!("<div>{}</div><nav>{links}</nav>", format!("<p>{}</p>", text.repeat(4)).repeat(9))
}

/// A text or a number, as it is written.
fn word(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn parsed(url: &str) -> Url {
    Url::parse(url).unwrap_or_else(|error| panic!("{url}: {error}"))
}

fn host(url: &str) -> String {
    parsed(url).host_str().unwrap_or_default().to_owned()
}

fn origin(url: &str) -> String {
    parsed(url).origin().ascii_serialization()
}

fn key(method: &str, url: &str) -> String {
    format!("{method} {}{}", host(url), parsed(url).path())
}
