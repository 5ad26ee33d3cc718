//! What a person sees and what only seems so: the states in which challenges park what they do not show.

use std::collections::BTreeSet;

use sunup::browser::{Action, Command, Context, Response};

use crate::lab::*;
use crate::server::html;

crate::cases![every_parked_state_is_judged_as_a_person_sees_it, inside_frames_the_frame_decides];

/// Each state, whether it is displayed, and its markup; `ID` marks the element that is asked about.
const STATES: &[(&str, bool, &str)] = &[
    (
        "popup idle",
        false,
        "<div style='visibility:hidden;opacity:0;position:absolute;top:-10000px'><div ID class=box></div></div>",
    ),
    (
        "popup parked by its place only",
        false,
        "<div style='position:absolute;top:-10000px'><div ID class=box></div></div>",
    ),
    (
        "popup open",
        true,
        "<div style='visibility:visible;opacity:1;position:absolute;top:10px'><div ID class=box></div></div>",
    ),
    (
        "popup idle, far left",
        false,
        "<div style='visibility:hidden;opacity:0;z-index:-2147483648;position:absolute;left:-10000px;top:-10000px'><div ID class=box></div></div>",
    ),
    ("popup open and fixed", true, "<div ID class=box style='position:fixed;left:20px;top:20px'></div>"),
    (
        "wrapper idle",
        false,
        "<div ID class=box style='opacity:0;position:absolute;top:-1000000px;transition:opacity .3s'></div>",
    ),
    (
        "frame in the idle wrapper",
        false,
        "<div style='opacity:0;position:absolute;top:-1000000px'><iframe ID width=300 height=300></iframe></div>",
    ),
    (
        "displayed by its style sheet, far away",
        false,
        "<div ID class=box style='display:block!important;position:fixed;left:-99999px!important;top:-99999px!important'></div>",
    ),
    ("an empty wrapper", false, "<div ID><div></div></div>"),
    (
        "a box of no size that cuts its content",
        false,
        "<div style='width:0;height:0;overflow:hidden;position:relative'><div ID class=box></div></div>",
    ),
    ("an idle button", true, "<div ID style='width:300px;height:44px'>点击按钮开始验证</div>"),
    ("a hidden box", false, "<div style='display:none'><div ID class=box></div></div>"),
    ("a field in a tab that is not shown", false, "<div style='display:none'><input ID></div>"),
    ("a field off the page", false, "<div style='position:absolute;left:-9999px'><input ID></div>"),
    (
        "a text for screen readers",
        false,
        "<span ID style='position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0 0 0 0);white-space:nowrap'>安全验证</span>",
    ),
    (
        "a text that is cut away to nothing",
        false,
        "<span ID style='position:absolute;width:90px;height:20px;clip-path:inset(50%)'>安全验证</span>",
    ),
    ("a mask of opacity .05", false, "<div ID style='position:fixed;inset:0;opacity:.05;pointer-events:none'></div>"),
    ("a parent without opacity", false, "<div style='opacity:0'><div><div ID class=box></div></div></div>"),
    (
        "opacities that multiply",
        false,
        "<div style='opacity:.3'><div style='opacity:.3'><div ID class=box></div></div></div>",
    ),
    ("closed details", false, "<details><summary>更多</summary><div ID class=box></div></details>"),
    ("skipped content", false, "<div style='content-visibility:hidden'><div ID class=box></div></div>"),
    ("below the fold", true, "<div style='position:absolute;top:4000px'><div ID class=box></div></div>"),
    (
        "a fixed overlay in a wrapper without height",
        true,
        "<div style='height:0;overflow:hidden'><div ID class=box style='position:fixed;left:5px;top:5px'></div></div>",
    ),
    (
        "the same, where the wrapper is transformed",
        false,
        "<div style='height:0;overflow:hidden;transform:translateZ(0)'><div ID class=box style='position:fixed;left:5px;top:5px'></div></div>",
    ),
    (
        "absolute, and cut by nothing on its way",
        true,
        "<div style='height:0;overflow:hidden'><div ID class=box style='position:absolute;left:5px;top:5px'></div></div>",
    ),
    (
        "in the part that can be scrolled to",
        true,
        "<div style='height:60px;overflow:auto'><div style='height:500px'></div><div ID class=box></div></div>",
    ),
    ("inert", true, "<div inert><div ID class=box></div></div>"),
    ("hidden from screen readers only", true, "<div aria-hidden=true><div ID class=box></div></div>"),
];

async fn displayed(lab: &mut Lab, context: Context) -> BTreeSet<String> {
    let query = serde_json::json!({ "by": "css", "value": "[data-state]", "exact": true });
    let arguments = vec![query, serde_json::Value::Null, serde_json::Value::Null, serde_json::Value::Null];
    let action = Action::Page { function: "look", arguments };
    let command = Command { context, action, limit: std::time::Duration::from_secs(5) };
    let Ok(Response::Json(answer)) = lab.visit().browser.execute(command).await else { panic!("no answer") };
    let hits = answer["hits"].as_array().expect("hits");
    let id = |shown: &str| shown.split(['#', '>', '.']).nth(1).unwrap_or_default().to_owned();
    hits.iter().map(|hit| id(hit["shown"].as_str().expect("words"))).collect()
}

async fn every_parked_state_is_judged_as_a_person_sees_it(lab: &mut Lab) {
    let mut body = "<style>.box{width:300px;height:200px;background:#eee}</style>".to_owned();
    for (index, (_, _, markup)) in STATES.iter().enumerate() {
        let row = markup.replacen("ID", &format!("id=s{index} data-state"), 1);
        body.push_str(&format!("<section>{row}</section>"));
    }
    lab.server.serve("/", [html(&body)]);
    lab.read(vec![open("/")]).await.unwrap();
    let seen = displayed(lab, Context::default()).await;
    let wrong: Vec<&str> = STATES
        .iter()
        .enumerate()
        .filter(|(index, (_, truth, _))| seen.contains(&format!("s{index}")) != *truth)
        .map(|(_, (name, ..))| *name)
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// An element inside a frame that is not displayed calls itself visible: every frame around it is asked as well.
async fn inside_frames_the_frame_decides(lab: &mut Lab) {
    let puzzle = "<div class=geetest_panel_box style='width:300px;height:300px'></div>";
    lab.server.serve("/inner", [html(puzzle)]);
    lab.server.serve("/middle", [html("<iframe src=/inner width=400 height=400></iframe>")]);
    for (style, seen) in [
        ("visibility:hidden", false),
        ("position:absolute;left:-9999px", false),
        ("opacity:.05", false),
        ("position:relative", true),
    ] {
        for path in ["/inner", "/middle"] {
            let frame =
                format!("<iframe src={path} style='{style}' width=450 height=450></iframe><button>签到</button>");
            lab.server.serve("/", [html(&frame)]);
            let outcome = lab.read(vec![open("/"), click(role("button", "签到"))]).await;
            assert_eq!(outcome.is_err(), seen, "{path} {style}: {outcome:?}");
        }
    }
}
