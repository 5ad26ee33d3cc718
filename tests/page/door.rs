//! The token, the link of one use, and the cookie.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use chrono::TimeDelta;
use sunup::clock::{Clock, SystemClock};
use sunup::secrets::Redactor;
use sunup::serve::Front;
use sunup::serve::http::{NoLink, Server, make_link};

use crate::lab::{Lab, Reply, now};
use crate::support::{Place, run};

impl Lab {
    async fn follow(&self, link: &str) -> Reply {
        let path = link.strip_prefix(&self.own()).expect("a link to this server");
        self.get(path, &[("accept", "text/html")]).await
    }

    /// The cookie that a link gives.
    pub async fn cookie(&self) -> String {
        let reply = self.follow(&self.link()).await;
        assert_eq!((reply.status, reply.header("location")), (303, Some("/")), "{reply:?}");
        reply.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
    }
}

#[tokio::test]
async fn a_link_lets_in_once() {
    let lab = Lab::filled().await;
    let link = lab.link();
    let reply = lab.follow(&link).await;
    let cookie = reply.header("set-cookie").unwrap().to_owned();
    for word in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=2592000"] {
        assert!(cookie.contains(word), "{cookie}");
    }
    let pair = cookie.split(';').next().unwrap();
    assert_eq!(lab.get("/", &[("cookie", pair)]).await.status, 200);
    assert_eq!(lab.get("/api/status", &[("cookie", &format!("a=b; {pair}; c=d"))]).await.status, 200);
    let again = lab.follow(&link).await;
    assert_eq!((again.status, again.header("set-cookie")), (410, None));
    assert!(again.body.contains("这个链接已经失效") && again.body.contains("sunup open"), "{}", again.body);
}

#[tokio::test]
async fn of_two_who_use_a_link_at_once_one_gets_in() {
    let lab = Lab::fresh().await;
    for _ in 0..10 {
        let link = lab.link();
        let (one, other) = tokio::join!(lab.follow(&link), lab.follow(&link));
        let mut both = [one.status, other.status];
        both.sort_unstable();
        assert_eq!(both, [303, 410]);
    }
}

#[tokio::test]
async fn a_link_waits_ten_minutes() {
    let lab = Lab::fresh().await;
    let (early, late) = (lab.link(), lab.link());
    lab.set_time(now() + TimeDelta::seconds(599));
    assert_eq!(lab.follow(&early).await.status, 303);
    lab.set_time(now() + TimeDelta::seconds(600));
    assert_eq!(lab.follow(&late).await.status, 410);
    let made = lab.link();
    lab.set_time(now() + TimeDelta::seconds(1200));
    lab.link();
    let links = fs::read_dir(lab.data.join("serve/links")).unwrap().count();
    assert_eq!(links, 1, "old ones are swept: {made}");
}

#[tokio::test]
async fn a_look_ahead_does_not_use_a_link_up() {
    let lab = Lab::fresh().await;
    let link = lab.link();
    let path = link.strip_prefix(&lab.own()).unwrap();
    assert_eq!(lab.send(&format!("HEAD {path}"), &[], "").await.status, 204);
    assert_eq!(lab.get(path, &[("sec-purpose", "prefetch")]).await.status, 204);
    assert_eq!(lab.follow(&link).await.status, 303);
}

#[tokio::test]
async fn a_link_cannot_be_guessed_nor_lead_out_of_its_folder() {
    let lab = Lab::fresh().await;
    lab.link();
    let listed = fs::read_dir(lab.data.join("serve/links")).unwrap().next().unwrap().unwrap().file_name();
    let token = lab.token();
    for nonce in [listed.to_str().unwrap(), "..%2ftoken", "..%2faddress", &token, "%00", "x"] {
        assert_eq!(lab.get(&format!("/open/{nonce}"), &[]).await.status, 410, "{nonce}");
    }
    assert!(lab.data.join("serve/token").exists() && lab.data.join("serve/address").exists());
}

#[tokio::test]
async fn a_cookie_lasts_thirty_days_and_is_of_this_token() {
    let lab = Lab::fresh().await;
    let cookie = lab.cookie().await;
    let (name, value) = cookie.split_once('=').unwrap();
    assert_eq!(name, format!("sunup-{}", lab.address.port()), "another daemon's has another name");
    let (until, seal) = value.split_once('.').unwrap();
    let later = until.parse::<i64>().unwrap() + 1;
    for forged in [format!("{name}={later}.{seal}"), format!("{name}={until}.{}", &seal[1..]), format!("other={value}")]
    {
        assert_eq!(lab.get("/api/status", &[("cookie", &forged)]).await.status, 401, "{forged}");
    }
    lab.set_time(now() + TimeDelta::days(30) - TimeDelta::seconds(1));
    assert_eq!(lab.get("/api/status", &[("cookie", &cookie)]).await.status, 200);
    lab.set_time(now() + TimeDelta::days(30));
    assert_eq!(lab.get("/api/status", &[("cookie", &cookie)]).await.status, 401);
    lab.set_time(now());
    let other = Lab::fresh().await;
    let elsewhere = format!("sunup-{}={value}", other.address.port());
    assert_eq!(other.get("/api/status", &[("cookie", &elsewhere)]).await.status, 401);
}

#[tokio::test]
async fn the_token_is_its_owners_alone_and_known_to_the_redactor() {
    let lab = Lab::fresh().await;
    let token = lab.token();
    assert_eq!(token.len(), 43, "32 bytes");
    for (name, mode) in [("serve", 0o700), ("serve/token", 0o600), ("serve/address", 0o600)] {
        let found = fs::metadata(lab.data.join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!(found, mode, "{name}");
    }
    assert!(!lab.redactor.redact(&format!("Authorization: Bearer {token}")).contains(&token));
    let page = lab.ask("/").await;
    let api = lab.ask("/api/status").await;
    assert!(![page.body, page.head, api.body].iter().any(|text| text.contains(&token)), "it never reaches a browser");
    // The next start takes the same one…
    let again = || Server::new(front(&lab), &lab.data, std::sync::Arc::new(SystemClock::new()), &Redactor::new());
    again().map(drop).unwrap();
    assert_eq!(lab.token(), token);
    // …but not one that others have seen.
    fs::set_permissions(lab.data.join("serve/token"), fs::Permissions::from_mode(0o644)).unwrap();
    let refused = again().map(drop).unwrap_err().to_string();
    assert!(refused.contains("serve/token can be read by others: chmod 600"), "{refused}");
    fs::set_permissions(lab.data.join("serve/token"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(lab.data.join("serve/token"), "").unwrap();
    assert!(again().map(drop).unwrap_err().to_string().contains("no whole token"));
}

fn front(lab: &Lab) -> Front {
    Front { orders: tokio::sync::mpsc::channel(1).0, health: lab.health.subscribe() }
}

#[tokio::test]
async fn no_link_where_no_daemon_lives() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(make_link(folder.path(), now()), Err(NoLink::NoDaemon(_))));
    let lab = Lab::fresh().await;
    let address = lab.data.join("serve/address");
    let text = fs::read_to_string(&address).unwrap();
    // Another process of this number, long ago.
    let (first, mark) = text.split_once('\n').unwrap();
    let (pid, rest) = mark.split_once(' ').unwrap();
    let (_, rest) = rest.split_once(' ').unwrap();
    fs::write(&address, format!("{first}\n{pid} 1 {rest}")).unwrap();
    let refused = make_link(&lab.data, now()).unwrap_err().to_string();
    assert!(refused.contains("start `sunup serve`"), "{refused}");
    assert_eq!(refused.lines().count(), 1);
}

#[tokio::test]
async fn the_command_prints_a_link_or_says_that_no_daemon_runs() {
    let lab = Lab::fresh().await;
    lab.set_time(SystemClock::new().now());
    let place = Place::new();
    let data = lab.data.display().to_string();
    let printed = run(place.sunup(&["open", "--data", &data])).await;
    assert_eq!((printed.code, printed.stderr.as_str()), (0, ""), "{printed}");
    assert_eq!(lab.follow(printed.stdout.trim_end()).await.status, 303);
    let json = run(place.sunup(&["open", "--json", "--data", &data])).await;
    let link: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(lab.follow(link["link"].as_str().unwrap()).await.status, 303);
    lab.stop().await;
    let refused = run(place.sunup(&["open", "--data", &data])).await;
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{refused}");
    assert!(refused.stderr.contains("start `sunup serve`") && refused.stderr.lines().count() == 1, "{refused}");
}

#[tokio::test]
async fn the_address_goes_with_the_server() {
    let lab = Lab::fresh().await;
    let address = lab.data.join("serve/address");
    assert!(address.exists());
    lab.stop().await;
    assert!(!address.exists());
}
