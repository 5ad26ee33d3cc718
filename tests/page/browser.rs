//! The page in a real Firefox: through the link, by keyboard, in both schemes, on a phone.

use serde_json::json;

use crate::lab::Lab;
use crate::window::{ENTER, SPACE, TAB, Window};

#[tokio::test(flavor = "multi_thread")]
async fn a_person_comes_by_the_link_and_works_by_keyboard() {
    let lab = Lab::filled().await;
    let window = Window::open(1280, 900, false).await;
    window.client.goto(&lab.own()).await.unwrap();
    window.until("return document.querySelector('h1').textContent === '请用链接进入'").await;
    window.client.goto(&lab.link()).await.unwrap();
    window.until("return document.querySelector('h1').textContent === '1 件事需要你'").await;
    assert_eq!(window.ask("return location.pathname").await, "/");
    assert_eq!(window.ask("return document.cookie").await, "", "no script sees the cookie");
    assert_eq!(window.ask("return document.querySelectorAll('#tasks .square').length").await, 30 * 6 + 5);

    window.press(TAB).await;
    assert_eq!(window.ask("return document.activeElement.className").await, "skip");
    window.tab_to("close-1").await;
    window.press(ENTER).await;
    window.until("return answer.textContent === '工单 1 已关闭，下一轮会再看'").await;
    window.until("return !document.getElementById('ticket-1')").await;
    assert_eq!(lab.ledger.open_tickets().unwrap(), []);
    assert_eq!(window.focused().await, "tasks", "what had the focus is gone: it goes on at the tasks");

    window.tab_to("run-community/read").await;
    assert_ne!(window.ask("return getComputedStyle(document.activeElement).outlineStyle").await, "none");
    window.press(ENTER).await;
    window.until("return answer.textContent === '阅读五篇文章：开始执行'").await;
    assert_eq!(window.ask("return answer.getAttribute('aria-live')").await, "polite");
    window.press(SPACE).await;
    window.until("return answer.textContent === '阅读五篇文章：没有执行，正在进行'").await;
    assert_eq!(lab.begun.lock().unwrap().len(), 1, "two orders, one run");

    // Two accounts, two answers.
    window.tab_to("run-forum/post").await;
    window.press(ENTER).await;
    window.until("return answer.textContent.endsWith('main 开始执行 · mum 开始执行')").await;
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_follows_what_happens_and_keeps_the_focus() {
    let lab = Lab::filled().await;
    let window = Window::open(1280, 900, false).await;
    window.client.goto(&lab.link()).await.unwrap();
    window.until("return !!document.getElementById('run-books/evening')").await;
    window.tab_to("run-books/evening").await;
    lab.change(|health| health.files_fault = Some("sunup.yaml:2:1 a fault".into()));
    let look = "document.dispatchEvent(new Event('visibilitychange'))";
    window.ask(look).await;
    window.until("return document.body.innerText.includes('文件有错')").await;
    assert_eq!(window.focused().await, "run-books/evening");
    assert_eq!(window.ask("return lost.hidden").await, true);
    lab.stop().await;
    window.ask(look).await;
    window.until("return !lost.hidden").await;
    assert!(window.ask("return document.querySelectorAll('.task').length").await == 5, "what was last known stays");
    window.press(ENTER).await;
    window.until("return answer.textContent.startsWith('连不上后台')").await;
    window.close().await;
}

/// Every text against what lies behind it: those that are too faint.
const FAINT: &str = r#"
    const numbers = (colour) => colour.match(/[\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
        .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = (element) => {
        for (let each = element; each; each = each.parentElement) {
            const colour = numbers(getComputedStyle(each).backgroundColor);
            if (colour.length === 3 || colour[3] === 1) return colour;
        }
        return [255, 255, 255];
    };
    const faint = [];
    for (const element of document.querySelectorAll("body *")) {
        const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
        if (!own || !element.checkVisibility()) continue;
        const [one, other] = [light(numbers(getComputedStyle(element).color)), light(behind(element))].sort((a, b) => b - a);
        const ratio = (one + 0.05) / (other + 0.05);
        if (ratio < 4.5) faint.push(`${element.className || element.localName}: ${ratio.toFixed(2)} ${element.textContent.trim().slice(0, 20)}`);
    }
    return faint;
"#;

#[tokio::test(flavor = "multi_thread")]
async fn it_fits_a_phone_and_can_be_read_in_both_schemes() {
    let lab = Lab::filled().await;
    lab.change(|health| health.files_fault = Some("sunup.yaml:2:1 a fault".into()));
    let mut grounds = Vec::new();
    for dark in [false, true] {
        let window = Window::open(360, 740, dark).await;
        window.client.goto(&lab.link()).await.unwrap();
        window.until("return !!document.getElementById('run-community/read')").await;
        window.ask("answer.textContent = '阅读五篇文章：开始执行'").await;
        assert_eq!(window.ask(FAINT).await, json!([]), "dark: {dark}");
        grounds.push(window.ask("return getComputedStyle(document.body).backgroundColor").await);
        // The window is no narrower than Firefox lets it be; the page is, in a box of 360 points.
        window.ask("document.documentElement.style.width = '360px'").await;
        let wide =
            "return [...document.querySelectorAll('main *')].filter((each) => each.getBoundingClientRect().right > 360)
            .map((each) => each.className || each.localName)";
        assert_eq!(window.ask(wide).await, json!([]));
        let low = "return [...document.querySelectorAll('button')].filter((each) => each.offsetHeight < 24).length";
        assert_eq!(window.ask(low).await, 0, "too low for a thumb");
        window.close().await;
    }
    assert_ne!(grounds[0], grounds[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn its_parts_have_names_and_ids_of_their_own() {
    let lab = Lab::filled().await;
    let window = Window::open(1280, 900, false).await;
    window.client.goto(&lab.link()).await.unwrap();
    window.until("return !!document.getElementById('run-community/read')").await;
    let nameless = "return [...document.querySelectorAll('button, a, section, img, [role=img]')].filter((each) => {
        const by = each.getAttribute('aria-labelledby');
        const name = each.getAttribute('aria-label') || (by ? document.getElementById(by)?.textContent : each.textContent);
        return !name?.trim() && each.getAttribute('alt') !== '';
    }).map((each) => each.outerHTML.slice(0, 80))";
    assert_eq!(window.ask(nameless).await, json!([]));
    let twice = "const ids = [...document.querySelectorAll('[id]')].map((each) => each.id);
        return ids.filter((id, place) => ids.indexOf(id) !== place)";
    assert_eq!(window.ask(twice).await, json!([]));
    let levels =
        window.ask("return [...document.querySelectorAll('h1, h2, h3, h4')].map((each) => +each.localName[1])").await;
    let levels: Vec<i64> = levels.as_array().unwrap().iter().filter_map(|level| level.as_i64()).collect();
    assert!(levels[0] == 1 && levels.windows(2).all(|two| two[1] <= two[0] + 1), "{levels:?}");
    let landmarks = "return ['header', 'main', 'h1'].map((name) => document.querySelectorAll(name).length)";
    assert_eq!(window.ask(landmarks).await, json!([1, 1, 1]));
    assert_eq!(window.ask("return document.documentElement.lang").await, "zh-CN");
    window.client.goto(&format!("{}/report/2026-11-30", lab.own())).await.unwrap();
    window.until("return getComputedStyle(document.querySelector('.card')).borderTopLeftRadius === '14px'").await;
    window.close().await;
}

/// Writes pictures of the page to look at: `SUNUP_PICTURES=<folder> cargo test --test page pictures -- --ignored`.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "for eyes"]
async fn pictures() {
    let folder = std::path::PathBuf::from(std::env::var("SUNUP_PICTURES").expect("SUNUP_PICTURES"));
    for language in ["zh-CN", "en"] {
        let (full, fresh) = (Lab::open(language).await, Lab::open(language).await);
        full.fill();
        for (width, dark) in [(1280, false), (1280, true), (390, false), (390, true)] {
            let window = Window::open(width, 900, dark).await;
            let scheme = if dark { "dark" } else { "light" };
            for (name, lab, path) in [("full", &full, "/"), ("fresh", &fresh, "/"), ("door", &full, "/open/x")] {
                let link = if name == "door" { format!("{}{path}", lab.own()) } else { lab.link() };
                window.client.goto(&link).await.unwrap();
                window.until("return document.readyState === 'complete'").await;
                // Firefox makes no window that is narrower than 500 points.
                window.ask(&format!("document.documentElement.style.width = '{width}px'")).await;
                if name == "full" && dark {
                    window.ask("answer.textContent = document.querySelector('[data-run]').dataset.name + ' ✓'").await;
                }
                let height = window.ask("return document.documentElement.scrollHeight").await.as_u64().unwrap() as u32;
                window.fit(width, height.max(600)).await;
                let picture = window.client.screenshot().await.unwrap();
                std::fs::write(folder.join(format!("{name}-{language}-{width}-{scheme}.png")), picture).unwrap();
                window.fit(width, 900).await;
            }
            window.close().await;
        }
    }
}
