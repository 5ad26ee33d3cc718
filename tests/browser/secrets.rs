//! Where secrets may be typed, and what pictures must not show.

use std::path::Path;

use secrecy::SecretString;
use sunup::browser::visit::{Halt, Pictures};
use sunup::files::condition::{Names, Scope, Template};
use sunup::files::model::*;
use sunup::run::{Failure, FailureKind};
use sunup::secrets::Redactor;

use crate::lab::*;
use crate::server::html;

crate::cases![
    a_secret_is_typed_into_the_sites_own_documents,
    a_secret_is_typed_nowhere_else,
    a_form_that_turns_elsewhere_while_it_is_typed_into_is_not_sent,
    a_password_stays_in_its_field,
    a_picture_shows_no_field_wherever_it_is,
    the_mask_is_taken_away_again,
    a_page_that_shows_a_secret_is_not_pictured,
];

const SECRET: &str = "canary-<\"8&密";

/// A field that tells the server of each key, with the rest of its page.
fn field(around: &str) -> String {
    let tell = "<script>addEventListener('input', (event) => event.data && \
                fetch('/typed', { method: 'POST', keepalive: true }))</script>";
    around.replace("FIELD", "<input type=password id=pass>") + tell
}

fn fill_secret(frames: usize) -> Step {
    let mut target = css("#pass");
    for _ in 0..frames {
        let outer = css("iframe");
        target = Locator { frame: Some(Box::new(frame_inside(target.frame.take(), outer))), ..target };
    }
    let with = Template::parse("{{ account.password }}", &Names::default().with_password()).expect("a template");
    step(Verb::Fill { target: one(target), with }).limit(3)
}

/// A frame that is itself looked for in a frame.
fn frame_inside(around: Option<Box<Locator>>, frame: Locator) -> Locator {
    Locator { frame: around, ..frame }
}

async fn type_secret(lab: &mut Lab, frames: usize) -> Result<(), Failure> {
    let section = section(vec![open("/"), fill_secret(frames)]);
    let scope = Scope { password: Some(SecretString::from(SECRET)), ..Scope::default() };
    match lab.visit().read_section(&section, scope).await {
        Ok(_) => Ok(()),
        Err(Halt::Failed(failure)) => Err(failure),
        Err(other) => panic!("{other:?}"),
    }
}

/// The same server under a name that the site does not declare.
fn foreign(lab: &Lab) -> String {
    lab.server.origin().replace("127.0.0.1", "localhost")
}

async fn a_secret_is_typed_into_the_sites_own_documents(lab: &mut Lab) {
    let (own, other) = (lab.server.origin(), foreign(lab));
    lab.site.origins.push(other.clone());
    for (frames, page) in [
        (0, "FIELD".to_owned()),
        (0, "<form method=post>FIELD</form>".to_owned()),
        (0, format!("<form action='{own}/login'>FIELD<button formaction=/there>x</button></form>")),
        (0, "<form action='javascript:void 0'>FIELD</form>".to_owned()),
        (1, format!("<iframe src='{other}/inner'></iframe>")),
    ] {
        lab.server.serve("/", [html(&field(&page))]);
        lab.server.serve("/inner", [html(&field(&format!("<form action='{own}'>FIELD</form>")))]);
        assert_eq!(type_secret(lab, frames).await, Ok(()), "{page}");
    }
    lab.site.origins.pop();
}

async fn a_secret_is_typed_nowhere_else(lab: &mut Lab) {
    let (own, other) = (lab.server.origin(), foreign(lab));
    let moves = format!("<form><input id=pass value=old onfocus=\"this.form.action = '{other}/'\"></form>");
    for (frames, page) in [
        (0, format!("<form method=post action='{other}/login'>FIELD</form>")),
        (
            0,
            format!("<form id=far action='{other}/login'></form><p>FIELD</p>")
                .replace("FIELD", "<input form=far id=pass>"),
        ),
        (0, format!("<form>FIELD<button formaction='{other}/login'>登录</button></form>")),
        (0, format!("<base href='{other}/'><form action=login>FIELD</form>")),
        (0, format!("<form action='{other}/login'><input name=action>FIELD</form>")),
        (0, "<form action='data:text/html,x'>FIELD</form>".to_owned()),
        (0, moves),
        (1, format!("<iframe src='{other}/inner'></iframe>")),
        (1, "<iframe srcdoc='<input type=password id=pass>'></iframe>".to_owned()),
        // The frame in the middle is a stranger's.
        (2, format!("<iframe src='{other}/middle'></iframe>")),
    ] {
        lab.server.forget();
        lab.server.serve("/", [html(&field(&page))]);
        lab.server.serve("/inner", [html(&field("FIELD"))]);
        lab.server.serve("/middle", [html(&format!("<iframe src='{own}/inner'></iframe>"))]);
        let failure = type_secret(lab, frames).await.expect_err(&page);
        assert_eq!(failure.kind, FailureKind::SuspiciousPage, "{page}: {}", failure.message);
        assert!(failure.message.contains("is not typed: "), "{page}: {}", failure.message);
        assert_eq!(lab.server.count("POST /typed"), 0, "{page}");
    }
}

async fn a_form_that_turns_elsewhere_while_it_is_typed_into_is_not_sent(lab: &mut Lab) {
    let other = foreign(lab);
    let page = format!(
        "<form><input type=password id=pass oninput=\"this.form.action = '{other}/login'\"><button>登录</button></form>"
    );
    lab.server.serve("/", [html(&page)]);
    let failure = type_secret(lab, 0).await.expect_err("it turned");
    assert_eq!(failure.kind, FailureKind::SuspiciousPage, "{}", failure.message);
    assert!(failure.message.contains("goes no further"), "{}", failure.message);
}

async fn a_password_stays_in_its_field(lab: &mut Lab) {
    lab.server.serve("/", [html("<input type=password id=pass value=echoed><input id=name value=lin>")]);
    for from in [None, Some("value".to_owned())] {
        let value =
            |of: &str| scalar(ScalarKind::Value, From::Element { locator: Some(css(of)), attribute: from.clone() });
        assert_eq!(as_text(&lab.read_page("/", value("#name")).await.expect("a value")), "lin");
        let failure = lab.read_page("/", value("#pass")).await.expect_err("a password");
        assert!(!failure.message.contains("echoed"), "{}", failure.message);
    }
}

/// Fails on a page, and gives the failure.
async fn fail_on(lab: &mut Lab, page: &str, folder: &Path, redactor: &Redactor) -> Failure {
    lab.server
        .serve("/", [html(page).header("content-security-policy", "style-src 'none'; default-src * 'unsafe-inline'")]);
    let steps = section(vec![open("/"), click(css("#none")).limit(1)]);
    let mut visit = lab.visit();
    visit.pictures = Some(Pictures { folder, redactor });
    match visit.read_section(&steps, Scope::default()).await {
        Err(Halt::Failed(failure)) => failure,
        other => panic!("{other:?}"),
    }
}

/// A page with this text in everything that can be typed into.
fn typed_everywhere(lab: &Lab, text: &str) -> String {
    let (own, other) = (lab.server.origin(), foreign(lab));
    let fields = format!(
        "<input value='{text}'><textarea>{text}</textarea><select><option>{text}</select>\
         <span contenteditable>一 <p>{text}</p></span>"
    );
    lab.server.serve("/frame", [html(&format!("{fields}<script>document.querySelector('input').select()</script>"))]);
    lab.server.serve("/deeper", [html(&format!("<iframe src='{own}/frame'></iframe>"))]);
    lab.server.serve("/design", [html(&format!("<p>{text}</p><script>document.designMode = 'on'</script>"))]);
    format!(
        "<h1>标题</h1>{fields}<div id=shadow></div><x-closed></x-closed><iframe src=/frame></iframe>\
         <iframe src='{other}/deeper' height=300></iframe><iframe src=/design></iframe><script>
         shadow.attachShadow({{ mode: 'open' }}).innerHTML = \"{fields}\";
         customElements.define('x-closed', class extends HTMLElement {{ constructor() {{
           super(); this.attachShadow({{ mode: 'closed' }}).innerHTML = \"{fields}\" }} }});
         document.querySelector('input').style.cssText = 'transition: all 60s; color: red !important; font-size: 40px';
         document.querySelector('textarea').select();
         </script>"
    )
}

async fn a_picture_shows_no_field_wherever_it_is(lab: &mut Lab) {
    let folder = lab.pictures();
    let redactor = Redactor::new();
    let mut pictures = Vec::new();
    for text in ["WWWWWW", "iiiiii"] {
        let page = typed_everywhere(lab, text);
        let failure = fail_on(lab, &page, &folder, &redactor).await;
        pictures.push(std::fs::read(folder.join(failure.picture.expect("a picture"))).expect("a file"));
    }
    if let Ok(kept) = std::env::var("SUNUP_KEEP_PICTURES") {
        std::fs::write(Path::new(&kept).join("masked.png"), &pictures[0]).expect("a picture to look at");
        std::fs::write(Path::new(&kept).join("masked-2.png"), &pictures[1]).expect("a picture to look at");
    }
    assert!(pictures[0] == pictures[1], "what stands in the fields can be told from the picture");
}

async fn the_mask_is_taken_away_again(lab: &mut Lab) {
    let folder = lab.pictures();
    let page = "<input id=a><input id=b><script>b.style.color = 'red'</script>";
    fail_on(lab, page, &folder, &Redactor::new()).await.picture.expect("a picture");
    let style = |of: &str| {
        let from = From::Element { locator: Some(css(of)), attribute: Some("style".into()) };
        ReadKind::Scalar { kind: ScalarKind::Text, source: Source { from, matching: None } }
    };
    let mut steps = vec![step(Verb::Wait { target: one(css("#b")) }).reads("b", style("#b")).reads("a", style("#a"))];
    steps[0].reads[1].1.optional = true;
    let values = lab.read(steps).await.expect("the styles").values;
    assert_eq!((as_text(&values["b"]), &values["a"]), ("color: red;", &sunup::values::Value::None));
}

async fn a_page_that_shows_a_secret_is_not_pictured(lab: &mut Lab) {
    let folder = lab.folder.path().join("withheld");
    let redactor = Redactor::new();
    redactor.add(&SecretString::from("hunter 密码"));
    lab.server.serve("/echo", [html("your password is hunter 密码")]);
    for page in [
        "<p>your password is <b>hunter</b>\n 密码</p>",
        "<p style='text-transform: uppercase'>hunter 密码</p>",
        "<a href=/>/login?password=hunter+%E5%AF%86%E7%A0%81</a>",
        "<input type=submit value='hunter 密码'>",
        "<input placeholder='hunter 密码'>",
        "<img src=/none.png alt='hunter 密码'>",
        "<div id=shadow></div><script>shadow.attachShadow({ mode: 'open' }).innerHTML = '<p>hunter 密码</p>'</script>",
        "<iframe src=/echo></iframe>",
        "<iframe srcdoc='<p>hunter 密码'></iframe>",
        "<svg><text y=20>hunter 密码</text></svg>",
    ] {
        let failure = fail_on(lab, page, &folder, &redactor).await;
        assert_eq!(failure.picture, None, "{page}");
        assert!(failure.message.contains("No picture was kept"), "{page}: {}", failure.message);
        assert!(!folder.exists(), "{page}");
    }
    assert!(fail_on(lab, "<p>hunter</p>", &folder, &redactor).await.picture.is_some());
}
