use super::*;

fn now() -> DateTime<Utc> {
    at("2026-11-30T00:00:00Z")
}

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

/// Before a sign-in, or after its password was sent.
fn said(status: u16, headers: &[(&str, &str)], body: Option<&str>, password_sent: bool) -> Option<Said> {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Answered { status, headers: &headers, body, signs_in: password_sent, password_sent }.says(now())
}

fn page(status: u16, headers: &[(&str, &str)]) -> Option<FailureKind> {
    said(status, headers, None, false).map(|said| said.failure.kind)
}

fn fetched(status: u16, body: &str) -> Option<FailureKind> {
    said(status, &[], Some(body), false).map(|said| said.failure.kind)
}

#[test]
fn every_rule_has_a_name_of_its_own_and_a_kind() {
    let mut ids: Vec<&str> = RULES.signs.iter().map(|sign| sign.id.as_str()).collect();
    ids.extend(super::super::rules().iter().map(|rule| rule.id.as_str()));
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
    for sign in &RULES.signs {
        let looks_at = [sign.header.is_some(), sign.url.is_some(), sign.json.is_some(), !sign.body.is_empty()];
        assert!(looks_at.contains(&true), "{} holds for everything", sign.id);
    }
    for rule in &RULES.statuses {
        assert!(rule.kind == "none" || FailureKind::from_word(&rule.kind).is_some(), "{}", rule.kind);
        assert!(rule.kind == "none" || !rule.says.is_empty());
        assert!(rule.status.iter().all(|span| span.is_u64() || span.as_str().is_some_and(|text| text.contains('-'))));
    }
}

#[test]
fn each_status_has_its_meaning() {
    use FailureKind::*;
    for (kind, statuses) in [
        (None, &[200, 201, 202, 204, 206][..]),
        (Some(SessionExpired), &[301, 302, 303, 307, 401, 419, 440]),
        (Some(AccessDenied), &[403, 412, 418, 451]),
        (Some(PageChanged), &[400, 404, 405, 410, 422, 423]),
        (Some(Environment), &[407, 511]),
        (Some(Timeout), &[408, 425]),
        (Some(Interstitial), &[428]),
        (Some(RateLimited), &[429]),
        (Some(ServerError), &[500, 502, 503, 504, 520, 527]),
    ] {
        for status in statuses {
            assert_eq!(page(*status, &[]), kind, "{status}");
        }
    }
    assert_eq!(page(503, &[("retry-after", "60")]), Some(Maintenance));
}

#[test]
fn the_answer_to_a_password_is_judged_by_its_page() {
    let kind = |status, body: Option<&str>| said(status, &[], body, true).map(|said| said.failure.kind);
    assert_eq!(kind(401, None), None, "a wrong password comes with it, too");
    assert_eq!(kind(403, None), None);
    assert_eq!(kind(423, None), Some(FailureKind::AccountRestricted));
    assert_eq!(kind(429, None), Some(FailureKind::RateLimited));
    assert_eq!(kind(401, Some("{}")), Some(FailureKind::SessionExpired));
    let headers = BTreeMap::new();
    let form = Answered { status: 403, headers: &headers, body: None, signs_in: true, password_sent: false };
    assert_eq!(form.says(now()).map(|said| said.failure.kind), Some(FailureKind::AccessDenied), "nothing was sent yet");
}

#[test]
fn a_vendors_header_goes_before_the_status() {
    use FailureKind::*;
    for (status, header, kind) in [
        (403, ("cf-mitigated", "challenge"), Interstitial),
        (429, ("cf-mitigated", "challenge"), Interstitial),
        (503, ("cf-mitigated", "challenge"), Interstitial),
        (429, ("x-vercel-mitigated", "challenge"), Interstitial),
        (405, ("x-amzn-waf-action", "captcha"), Captcha),
        (202, ("x-amzn-waf-action", "challenge"), Interstitial),
        (200, ("hw-ajax-redirect", "https://auth.example/login"), SessionExpired),
        (200, ("x-frame-maintenance", "1"), Maintenance),
        (403, ("hw-iam-forbidden", "true"), PageChanged),
    ] {
        assert_eq!(page(status, &[header]), Some(kind), "{status} {header:?}");
    }
    for harmless in [("cf-mitigated", "other"), ("x-datadome", "protected"), ("x-cdn", "Incapsula"), ("cf-ray", "1")] {
        assert_eq!(page(200, &[harmless]), None, "{harmless:?}");
    }
    let waits = said(429, &[("cf-mitigated", "challenge"), ("retry-after", "60")], None, false).unwrap();
    assert!(waits.passive && !waits.by_status);
}

#[test]
fn a_header_that_asks_for_a_login_in_a_dialog_is_the_environments() {
    use FailureKind::*;
    for (asked, kind) in [
        ("Basic realm=\"x\"", Environment),
        ("NTLM", Environment),
        ("Negotiate", Environment),
        ("Bearer error=\"invalid_token\"", SessionExpired),
        ("Bearer realm=\"basically\", Digest nonce=\"1\"", Environment),
    ] {
        assert_eq!(page(401, &[("www-authenticate", asked)]), Some(kind), "{asked}");
    }
}

#[test]
fn the_address_or_the_code_in_an_answer_decides_not_the_sentence() {
    use FailureKind::*;
    for (body, kind) in [
        (r#"{"url":"https://geo.captcha-delivery.com/captcha/?initialCid=1"}"#, Some(Captcha)),
        (r#"{"url":"https://geo.captcha-delivery.com/interstitial/?initialCid=1"}"#, Some(Interstitial)),
        (r#"{"url":"https://geo.captcha-delivery.com/captcha/?initialCid=1&t=bv"}"#, Some(AccessDenied)),
        (
            r#"{"ret":["人太多啦，请重试"],"data":{"url":"https://x.example/_____tmd_____/punish?x5secdata=1"}}"#,
            Some(Captcha),
        ),
        (r#"{"ret":["FAIL_SYS_USER_VALIDATE::被挤爆啦，请稍后重试"]}"#, Some(Captcha)),
        (r#"{"code":1,"data":{"action":"captcha"}}"#, Some(Captcha)),
        (r#"{"code":-352,"message":"风控校验失败","data":{"v_voucher":"voucher_1"}}"#, Some(Captcha)),
        ("<html><script>location.href='//x.example/_____tmd_____/punish?x5step=1'</script></html>", Some(Captcha)),
        (
            "<html><body><iframe id=main-iframe src=\"/_Incapsula_Resource?SWUDNSAI=31\"></iframe></body></html>",
            Some(Interstitial),
        ),
        (
            "<html><body><div id=\"sec-if-cpt-container\" style=\"display:none\"></div></body></html>",
            Some(Interstitial),
        ),
        // Only talk of it.
        (r#"{"title":"怎样看待 captcha","text":"请先完成验证码","action":"read"}"#, None),
        (r#"{"url":"https://blog.example/?to=https://geo.captcha-delivery.com/captcha/"}"#, None),
        (r#"{"url":"https://geo.captcha-delivery.com.blog.example/captcha/"}"#, None),
        (r#"{"text":"如何处理 https://x.example/_____tmd_____/punish 这样的页面"}"#, None),
        (r#"{"v_voucher":null}"#, None),
        ("<html><body><p>it leads to '/_____tmd_____/punish'</p><script>0</script></body></html>", None),
        ("<script src=\"/_Incapsula_Resource?SWJIYLWA=71\"></script><p>news</p>", None),
        ("", None),
    ] {
        assert_eq!(fetched(200, body), kind, "{body}");
    }
    assert_eq!(fetched(403, r#"{"appId":"PX1"}"#), Some(Captcha));
    assert_eq!(fetched(405, "see https://errors.aliyun.com/error"), Some(AccessDenied));
    assert_eq!(fetched(405, "no such method"), Some(PageChanged));
}

#[test]
fn a_page_that_is_no_json_is_no_answer() {
    use FailureKind::*;
    for (body, kind) in [
        ("", NotRendered),
        ("  \n", NotRendered),
        ("<form><input type=\"password\"></form>", SessionExpired),
        ("<html><head><title>x</title></head><body><script>check()</script></body></html>", Interstitial),
        ("<!doctype html><html><body><div id=app></div><script src=app.js></script></body></html>", PageChanged),
        ("<html><body>请稍候<script>0</script></body></html>", PageChanged),
        ("plainly wrong", PageChanged),
    ] {
        assert_eq!(no_json(body, "it is not JSON".into()).kind, kind, "{body}");
    }
}

#[test]
fn ways_through_an_identity_server_end_by_name() {
    use FailureKind::*;
    for (address, kind) in [
        ("https://a.example/callback?error=login_required&state=1", Some(SessionExpired)),
        ("https://a.example/callback#error=consent_required&state=1", Some(Consent)),
        ("https://a.example/callback?error=interaction_required", Some(Consent)),
        ("https://a.example/callback?error=account_selection_required", Some(Consent)),
        ("https://a.example/callback?error=access_denied&state=1", Some(Consent)),
        ("https://a.example/callback?error=access_denied", None),
        ("https://a.example/search?q=error%3Dlogin_required", None),
        ("https://a.example/callback?error=none", None),
    ] {
        assert_eq!(by_address(address).map(|failure| failure.kind), kind, "{address}");
    }
}

#[test]
fn paths_of_sign_ins() {
    for path in
        ["/login", "/user/login.html", "/authui/login", "/CAS/portal/loginAuth.html", "/sign-in/", "/Account/LogOn"]
    {
        assert!(is_sign_in(path), "{path}");
    }
    for path in ["/", "/home", "/blog/login-pages-compared", "/logins", "/signing", "/signin/rejected", "/login/help"] {
        assert!(!is_sign_in(path), "{path}");
    }
}

#[test]
fn retry_after_is_seconds_or_a_date() {
    assert_eq!(wait_until("120", now()), Some(at("2026-11-30T00:02:00Z")));
    for date in ["Mon, 30 Nov 2026 00:10:00 GMT", "Monday, 30-Nov-26 00:10:00 GMT", "Mon Nov 30 00:10:00 2026"] {
        assert_eq!(wait_until(date, now()), Some(at("2026-11-30T00:10:00Z")), "{date}");
    }
    assert_eq!(wait_until("Mon, 30 Nov 2020 00:10:00 GMT", now()), Some(now()));
    assert_eq!(wait_until("99999999999999999", now()), Some(now() + LONGEST_WAIT));
    assert_eq!(wait_until("-5", now()), Some(now()));
    assert_eq!(wait_until("soon", now()), None);
    let until = |headers: &[(&str, &str)]| said(429, headers, None, false).unwrap().failure.retry_at;
    assert_eq!(until(&[]), Some(now() + COOL_DOWN));
    assert_eq!(until(&[("retry-after", "soon")]), Some(now() + COOL_DOWN));
    assert_eq!(until(&[("retry-after", "3600")]), Some(at("2026-11-30T01:00:00Z")));
}

#[test]
fn an_answer_says_when_it_was_made_unless_it_lay_in_a_cache() {
    let made = |headers: &[(&str, &str)]| {
        made_at(&headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    };
    let date = ("date", "Mon, 30 Nov 2026 00:10:00 GMT");
    assert_eq!(made(&[date]), Some(at("2026-11-30T00:10:00Z")));
    assert_eq!(made(&[date, ("age", "0")]), None);
    assert_eq!(made(&[("date", "today")]), None);
    assert_eq!(made(&[]), None);
}
