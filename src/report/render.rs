//! The report as text, as an HTML page that mailers understand, and as a subject. Pure.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, ValueKind};
use minijinja::{AutoEscape, Environment, Output, State, UndefinedBehavior, Value};
use serde::{Deserialize, Serialize};

use super::clean::{LONGEST, clean};
use super::model::Report;
use super::view::View;
use super::words::Words;
use crate::files::model::Language;

const TEXT: (&str, &str) = ("report.txt", include_str!("templates/report.txt"));
const PAGE: (&str, &str) = ("report.html", include_str!("templates/report.html"));

/// A report in one language, ready to be mailed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rendered {
    /// One line, without control characters.
    pub subject: String,
    /// For mailers and terminals without HTML.
    pub text: String,
    /// A whole page, its styles in the elements.
    pub html: String,
}

/// The product's own words or templates are broken; a test holds that they are not.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// A file of words.
    #[error("the words of the report cannot be read: {0}")]
    Words(String),
    /// A template.
    #[error("the report cannot be rendered: {0:#}")]
    Template(#[from] minijinja::Error),
    /// The style sheet of the page.
    #[error("the styles of the report cannot be put in place: {0}")]
    Style(#[from] css_inline::InlineError),
}

/// Renders a report in a language. For JSON, serialize the [`Report`] itself.
pub fn render(report: &Report, language: Language) -> Result<Rendered, RenderError> {
    let words = Words::new(language)?;
    put_into_pages(View::of(report, &words))
}

/// What a mail shows, as its subject, its text and its page.
pub(super) fn put_into_pages(view: View) -> Result<Rendered, RenderError> {
    let mut environment = environment()?;
    environment.add_template(TEXT.0, TEXT.1)?;
    environment.add_template(PAGE.0, PAGE.1)?;
    let context = Value::from(Serde(&view));
    let text = environment.get_template(TEXT.0)?.render(&context)?;
    let page = environment.get_template(PAGE.0)?.render(&context)?;
    // Many mailers know no style sheet, so styles go into the elements; `@media` rules stay in a sheet for those that do.
    let inliner = css_inline::CSSInliner::options().keep_at_rules(true).load_remote_stylesheets(false).build();
    Ok(Rendered { subject: view.subject, text, html: inliner.inline(&page)? })
}

/// How all templates of the product are read: a name without a value is a fault, pages escape what they print, and no text
/// of a site gets through unclean.
pub fn environment() -> Result<Environment<'static>, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment
        .set_auto_escape_callback(|name| if name.ends_with(".html") { AutoEscape::Html } else { AutoEscape::None });
    environment.set_formatter(print_cleaned);
    Ok(environment)
}

/// Everything that a template prints goes through here, so that no text of a site can be forgotten.
fn print_cleaned(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), minijinja::Error> {
    match value.as_str() {
        Some(text) if value.kind() == ValueKind::String => {
            minijinja::escape_formatter(out, state, &Value::from(clean(text, LONGEST)))
        }
        _ => minijinja::escape_formatter(out, state, value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples;
    use crate::run::{FailureKind, Status};

    const LANGUAGES: [Language; 2] = [Language::Chinese, Language::English];

    fn chinese(report: &Report) -> Rendered {
        render(report, Language::Chinese).unwrap()
    }

    /// The places of these texts, which must follow each other.
    fn assert_order(text: &str, pieces: &[&str]) {
        let places: Vec<usize> =
            pieces.iter().map(|piece| text.find(piece).unwrap_or_else(|| panic!("no {piece:?} in {text}"))).collect();
        assert!(places.is_sorted(), "{pieces:?} at {places:?} in {text}");
    }

    #[test]
    fn the_text_of_a_mixed_morning() {
        insta::assert_snapshot!("mixed_zh", chinese(&samples::mixed()).text);
        insta::assert_snapshot!("mixed_en", render(&samples::mixed(), Language::English).unwrap().text);
    }

    #[test]
    fn subjects_answer_the_three_questions() {
        let subject = |report: &Report, language| render(report, language).unwrap().subject;
        assert_eq!(subject(&samples::all_good(), Language::Chinese), "晨报 11-30：4 项完成，+60 积分");
        assert_eq!(subject(&samples::all_good(), Language::English), "Sunup 11-30: 4 done, +60 points");
        assert_eq!(
            subject(&samples::mixed(), Language::Chinese),
            "需要你：书店 人机验证 · 晨报 11-30 补充 2：这台机器有 1 个问题，1 项完成，2 项没成功，1 项还没证实，1 项还没做，1 项今天不用做，\
             社区 至少 +10 积分，书店 积分未知，航旅 约 +12000 积分"
        );
        assert_eq!(
            subject(&samples::nothing_ran(), Language::Chinese),
            "晨报 11-30：什么都没有运行，这台机器有 1 个问题"
        );
        assert_eq!(
            subject(&samples::all_failed(), Language::English),
            "[Rehearsal] Sunup 11-30: 4 failed, points unknown"
        );
    }

    #[test]
    fn text_and_page_keep_the_order_of_the_rules() {
        let rendered = chinese(&samples::mixed());
        let order = [
            "本机时钟比站点快",
            "登录页要求拖动滑块",
            "发一篇文章",
            "浏览活动页",
            "读五篇文章",
            "每周抽奖",
            "每日签到",
            "补签卡",
        ];
        assert_order(&rendered.text, &order);
        let body = &rendered.html[rendered.html.find("<body").unwrap()..];
        assert_order(body, &order[..order.len() - 2]);
    }

    #[test]
    fn a_rehearsal_says_so_on_top() {
        let rendered = chinese(&samples::all_failed());
        assert!(rendered.subject.starts_with("【彩排】"));
        assert!(rendered.text.starts_with("*** 这是一次彩排 ***"));
        assert_order(&rendered.text, &["ads.example", "一项都没有完成"]);
        assert_order(&rendered.html, &["ads.example", "一项都没有完成</h1>"]);
    }

    #[test]
    fn machine_words_stand_beside_the_translation() {
        for language in LANGUAGES {
            for status in [Status::Success, Status::AlreadyDone, Status::Unconfirmed, Status::Dead, Status::Blocked] {
                let mut report = samples::empty();
                report.runs = vec![samples::run("a", status)];
                let rendered = render(&report, language).unwrap();
                assert!(rendered.text.contains(&format!(" {}]", status.word())), "{}", rendered.text);
                assert!(rendered.html.contains(&format!(">{}</span>", status.word())));
            }
            for kind in FailureKind::ALL {
                let mut report = samples::empty();
                report.tickets = vec![samples::ticket(1)];
                report.tickets[0].kind = Some(kind);
                assert!(render(&report, language).unwrap().text.contains(&format!(" {}]", kind.word())));
            }
        }
    }

    #[test]
    fn the_text_of_a_site_cannot_break_out() {
        for language in LANGUAGES {
            let rendered = render(&samples::hostile(), language).unwrap();
            assert!(!rendered.html.contains("<script"));
            assert!(!rendered.subject.contains(['\r', '\n']));
            assert!(
                !rendered.text.lines().any(|line| line.starts_with("== 完成 ==\u{202E}") || line.starts_with("Bcc:"))
            );
            assert!(!rendered.text.contains("5929") && !rendered.html.contains("5929"), "templates are not run twice");
            assert!(!rendered.text.contains('\u{202E}') && !rendered.html.contains('\u{202E}'));
            assert!(rendered.text.lines().all(|line| line.chars().count() < 800));
        }
    }

    #[test]
    fn the_page_needs_nothing_from_elsewhere() {
        let page = chinese(&samples::mixed()).html;
        for forbidden in ["<img", "<link", "http://", "https://", "url(", "<script"] {
            assert!(!page.contains(forbidden), "{forbidden}");
        }
        assert!(page.contains("style=\"") && page.contains("@media (prefers-color-scheme: dark)"));
    }

    #[test]
    fn unknown_points_are_never_zero() {
        let rendered = chinese(&samples::mixed());
        assert!(rendered.text.contains("书店 · me\n入账 未知\n"), "{}", rendered.text);
        assert!(rendered.text.contains("读不懂：+1O"));
        assert!(rendered.text.contains("12000  飞行里程 (约数)"));
    }

    #[test]
    fn a_report_keeps_everything_through_json() {
        let report = samples::mixed();
        let json = serde_json::to_string(&report).unwrap();
        assert_eq!(serde_json::from_str::<Report>(&json).unwrap(), report);
    }
}
