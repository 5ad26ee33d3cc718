//! Every refusal, and what stands in it.

use crate::lab::Lab;

const JSON: (&str, &str) = ("content-type", "application/json");
const ORDER: &str = r#"{"tasks":["community/checkin"]}"#;

#[tokio::test]
async fn another_name_than_its_own_is_refused_at_every_address() {
    let lab = Lab::fresh().await;
    let bearer = format!("Bearer {}", lab.token());
    let port = lab.address.port();
    let names = [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        "127.0.0.1".to_owned(),
        format!("127.0.0.1:{}", port - 1),
        format!("127.0.0.1.evil.example:{port}"),
        format!("LOCALHOST.evil:{port}"),
        String::new(),
    ];
    for name in &names {
        for path in ["/", "/healthz", "/api/status", "/page.js", "/open/x"] {
            let reply = lab.get(path, &[("host", name), ("authorization", &bearer)]).await;
            assert_eq!(reply.status, 421, "{path} at {name:?}");
        }
    }
    assert_eq!(lab.raw("GET /healthz HTTP/1.0\r\n\r\n").await.status, 421, "no name at all");
    let two =
        format!("GET /healthz HTTP/1.1\r\nhost: {0}\r\nhost: evil.example\r\nconnection: close\r\n\r\n", lab.address);
    assert!([400, 421].contains(&lab.raw(&two).await.status), "two names");
    let other =
        format!("GET http://evil.example/healthz HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", lab.address);
    assert_eq!(lab.raw(&other).await.status, 421, "another one in the request line");
    let localhost = format!("localhost:{port}");
    assert_eq!(lab.get("/api/status", &[("host", &localhost), ("authorization", &bearer)]).await.status, 200);
}

#[tokio::test]
async fn without_token_and_cookie_only_health_and_the_door_are_open() {
    let lab = Lab::filled().await;
    for (method, path) in sunup::serve::http::routes() {
        let open = ["/healthz", "/page.css", "/page.js", "/icon.svg", "/open/{nonce}"].contains(&path);
        let reply = lab.send(&format!("{method} {}", path.replace(['{', '}'], "")), &[], "").await;
        assert_eq!(reply.status == 401, !open, "{method} {path}: {}", reply.status);
        if !open {
            assert!(!reply.body.contains("签到") && !reply.body.contains("books"), "{reply:?}");
            assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
        }
    }
    assert_eq!(lab.get("/nowhere", &[]).await.status, 401, "nor is it told what there is");
    let token = lab.token();
    for wrong in ["Bearer ", "Bearer x", &format!("Bearer {}", &token[1..]), &format!("Basic {token}"), &token] {
        assert_eq!(lab.get("/api/status", &[("authorization", wrong)]).await.status, 401, "{wrong}");
    }
}

#[tokio::test]
async fn another_page_starts_nothing() {
    let lab = Lab::fresh().await;
    let cookie = lab.cookie().await;
    let bearer = format!("Bearer {}", lab.token());
    let own = lab.own();
    let other_port = format!("http://127.0.0.1:{}", lab.address.port() - 1);
    let localhost = format!("http://localhost:{}", lab.address.port());
    let foreign: [&[(&str, &str)]; 8] = [
        &[("origin", "https://evil.example")],
        &[("origin", "null")],
        &[("origin", &other_port)],
        &[("origin", &localhost)],
        &[("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "same-site")],
        &[("sec-fetch-site", "none")],
        &[("origin", &own), ("sec-fetch-site", "cross-site")],
    ];
    for headers in foreign {
        for key in [("cookie", cookie.as_str()), ("authorization", bearer.as_str())] {
            let headers = [headers, &[JSON, key]].concat();
            let reply = lab.send("POST /api/run", &headers, ORDER).await;
            assert_eq!(reply.status, 403, "{headers:?}");
            assert_eq!(lab.send("POST /api/tickets/1/close", &headers, "").await.status, 403);
        }
    }
    assert!(lab.begun.lock().unwrap().is_empty());
    let page = [JSON, ("cookie", &cookie), ("origin", &own), ("sec-fetch-site", "same-origin")];
    assert_eq!(lab.send("POST /api/run", &page, ORDER).await.status, 202);
    let without = [JSON, ("origin", own.as_str())];
    assert_eq!(lab.send("POST /api/run", &without, ORDER).await.status, 401, "the page's own address is no key");
}

#[tokio::test]
async fn a_form_cannot_order() {
    let lab = Lab::fresh().await;
    let bearer = format!("Bearer {}", lab.token());
    for kind in ["text/plain", "application/x-www-form-urlencoded"] {
        let reply = lab.send("POST /api/run", &[("authorization", &bearer), ("content-type", kind)], ORDER).await;
        assert_eq!(reply.status, 415, "{kind}");
    }
    assert!(lab.begun.lock().unwrap().is_empty());
}

#[tokio::test]
async fn what_is_too_long_is_refused() {
    let lab = Lab::fresh().await;
    let body = format!(r#"{{"tasks":["{}"]}}"#, "x".repeat(20_000));
    assert_eq!(lab.post("/api/run", &body).await.status, 413);
    let path = format!("/api/status?{}", "x".repeat(40_000));
    assert!([414, 431].contains(&lab.ask(&path).await.status));
}

#[tokio::test]
async fn each_address_is_asked_its_own_way() {
    let lab = Lab::fresh().await;
    let get = lab.ask("/api/run").await;
    assert_eq!((get.status, get.header("allow")), (405, Some("POST")));
    assert_eq!(lab.ask("/api/tickets/1/close").await.status, 405);
    let bearer = format!("Bearer {}", lab.token());
    for method in ["POST", "PUT", "DELETE"] {
        let reply = lab.send(&format!("{method} /api/status"), &[("authorization", &bearer)], "").await;
        assert_eq!((reply.status, reply.header("allow")), (405, Some("GET,HEAD")), "{method}");
    }
    let nothing = lab.ask("/api/nothing").await;
    assert_eq!((nothing.status, nothing.header("content-type")), (404, Some("application/problem+json")));
}

#[tokio::test]
async fn people_get_a_page_and_programs_get_problem_details() {
    let lab = Lab::fresh().await;
    let html = ("accept", "text/html,application/xhtml+xml");
    let locked = lab.get("/", &[html]).await;
    assert_eq!((locked.status, locked.header("content-type")), (401, Some("text/html; charset=utf-8")));
    assert!(locked.body.contains("请用链接进入") && locked.body.contains("sunup open"), "{}", locked.body);
    let bearer = format!("Bearer {}", lab.token());
    let nothing = lab.get("/nothing", &[html, ("authorization", &bearer)]).await;
    assert!(nothing.status == 404 && nothing.body.contains("这里没有东西"), "{nothing:?}");
    let api = lab.get("/api/status", &[html]).await;
    assert_eq!(api.json()["status"], 401);
    assert_eq!(api.json()["type"], "about:blank");
}

#[tokio::test]
async fn every_answer_tells_browsers_the_rules() {
    let lab = Lab::fresh().await;
    let bearer = format!("Bearer {}", lab.token());
    for path in ["/", "/healthz", "/api/status", "/nothing", "/page.js", "/open/x"] {
        for headers in [&[("authorization", bearer.as_str())][..], &[], &[("host", "evil.example")]] {
            let reply = lab.get(path, headers).await;
            let policy = reply.header("content-security-policy").expect(path);
            assert!(policy.starts_with("default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'"));
            assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
            assert_eq!(reply.header("referrer-policy"), Some("no-referrer"));
            assert_eq!(reply.header("x-frame-options"), Some("DENY"));
            assert_eq!(reply.header("cross-origin-resource-policy"), Some("same-origin"));
            assert_eq!(reply.header("cache-control"), Some("no-store"));
            assert_eq!(reply.header("access-control-allow-origin"), None);
        }
    }
}

#[tokio::test]
async fn a_daemon_that_cannot_decide_says_so() {
    let lab = Lab::fresh().await;
    std::fs::remove_file(lab.data.join("ledger.db")).unwrap();
    std::fs::write(lab.data.join("ledger.db"), "x".repeat(4096)).unwrap();
    let reply = lab.ask("/api/status").await;
    assert_eq!((reply.status, reply.header("retry-after")), (503, Some("10")));
    assert!(reply.json()["detail"].as_str().unwrap().contains("ledger.db"), "{reply:?}");
    let health = lab.get("/healthz", &[]).await;
    assert_eq!(health.status, 503);
    assert!(!health.body.contains("ledger.db"), "what anybody may ask names no file");
}
