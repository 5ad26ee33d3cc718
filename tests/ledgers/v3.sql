-- A ledger of version 3 with a rehearsed morning in it: what every later version must be able to read.
BEGIN;
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
INSERT INTO meta VALUES('id','601dbe2f3b6ed0ad4bfa38176478f9ce');
INSERT INTO meta VALUES('high_water','2026-11-29T22:01:30.200Z');
INSERT INTO meta VALUES('checked_at','2026-11-29T22:01:26.521Z');
INSERT INTO meta VALUES('looked_for_passed','2026-11-29T22:01:25.312Z');
CREATE TABLE keys (
    key TEXT PRIMARY KEY,
    site TEXT NOT NULL,
    task TEXT NOT NULL,
    account TEXT NOT NULL,
    period TEXT NOT NULL,            -- JSON
    window TEXT NOT NULL,            -- JSON
    report_date TEXT NOT NULL,       -- the runner's date of its slot
    status TEXT NOT NULL,
    reason TEXT,
    due TEXT,
    opened_at TEXT NOT NULL,
    changed_at TEXT NOT NULL,
    closed_at TEXT
) STRICT;
INSERT INTO keys VALUES('2026-11-30:community/checkin@main','community','checkin','main','{"kind":"day","day":"2026-11-30","start":"2026-11-30","end":"2026-11-30","from":"2026-11-29T16:00:00Z","to":"2026-11-30T16:00:00Z"}','{"slot":"2026-11-29T22:00:00Z","until":"2026-11-30T15:30:00Z"}','2026-11-30','success',NULL,NULL,'2026-11-29T22:00:00.048Z','2026-11-29T22:00:07.821Z','2026-11-29T22:00:07.821Z');
INSERT INTO keys VALUES('2026-11-30:community/read@main','community','read','main','{"kind":"day","day":"2026-11-30","start":"2026-11-30","end":"2026-11-30","from":"2026-11-29T16:00:00Z","to":"2026-11-30T16:00:00Z"}','{"slot":"2026-11-29T22:00:00Z","until":"2026-11-30T15:30:00Z"}','2026-11-30','success',NULL,NULL,'2026-11-29T22:00:07.823Z','2026-11-29T22:01:25.255Z','2026-11-29T22:01:25.255Z');
INSERT INTO keys VALUES('2026-11-30:community/publish@main','community','publish','main','{"kind":"day","day":"2026-11-30","start":"2026-11-30","end":"2026-11-30","from":"2026-11-29T16:00:00Z","to":"2026-11-30T16:00:00Z"}','{"slot":"2026-11-29T22:00:00Z","until":"2026-11-30T15:30:00Z"}','2026-11-30','blocked',NULL,NULL,'2026-11-29T22:01:25.323Z','2026-11-29T22:01:30.200Z',NULL);
CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    run TEXT NOT NULL,
    key TEXT NOT NULL REFERENCES keys (key),
    kind TEXT NOT NULL,
    data TEXT NOT NULL               -- JSON
) STRICT;
INSERT INTO events VALUES(1,'2026-11-29T22:00:00.060Z','9a7132e5a8ac4349','2026-11-30:community/checkin@main','started','{"started":{"source":"hand"}}');
INSERT INTO events VALUES(2,'2026-11-29T22:00:06.719Z','9a7132e5a8ac4349','2026-11-30:community/checkin@main','read','{"read":{"which":"check","reading":{"answer":"todo","values":{"signed":{"boolean":false}}}}}');
INSERT INTO events VALUES(3,'2026-11-29T22:00:06.963Z','9a7132e5a8ac4349','2026-11-30:community/checkin@main','read','{"read":{"which":"baseline","reading":{"answer":"not_yet","values":{"balance":{"number":{"value":"115"}},"details":{"rows":{"rows":[],"read":6}}},"notes":[{"note":"kept","text":"details: 0 of 6 rows kept"}]}}}');
INSERT INTO events VALUES(4,'2026-11-29T22:00:07.410Z','9a7132e5a8ac4349','2026-11-30:community/checkin@main','prepared','{"prepared":{"notes":[]}}');
INSERT INTO events VALUES(5,'2026-11-29T22:00:07.410Z','9a7132e5a8ac4349','2026-11-30:community/checkin@main','intended','{"intended":{"generation":0,"unit":null}}');
INSERT INTO events VALUES(6,'2026-11-29T22:00:07.690Z','9a7132e5a8ac4349','2026-11-30:community/checkin@main','committed','{"committed":{"trouble":null}}');
INSERT INTO events VALUES(7,'2026-11-29T22:00:07.821Z','9a7132e5a8ac4349','2026-11-30:community/checkin@main','read','{"read":{"which":"verify","reading":{"answer":"done","values":{"balance":{"number":{"value":"125"}},"details":{"rows":{"rows":[{"cells":{"amount":{"value":{"number":{"value":"10"}}},"time":{"value":{"time":"2026-11-29T22:00:07Z"}},"title":{"value":{"text":"每日签到"}}}}],"read":6}}},"notes":[{"note":"kept","text":"details: 1 of 6 rows kept"}]}}}');
INSERT INTO events VALUES(8,'2026-11-29T22:00:07.823Z','9a7132e5a8ac4349','2026-11-30:community/read@main','started','{"started":{"source":"hand"}}');
INSERT INTO events VALUES(9,'2026-11-29T22:00:07.841Z','9a7132e5a8ac4349','2026-11-30:community/read@main','read','{"read":{"which":"check","reading":{"answer":{"goal":{"have":"0","want":"5"}},"values":{"progress":{"number":{"value":"0"}},"total":{"number":{"value":"5"}}}}}}');
INSERT INTO events VALUES(10,'2026-11-29T22:00:07.861Z','9a7132e5a8ac4349','2026-11-30:community/read@main','intended','{"intended":{"generation":0,"unit":"0"}}');
INSERT INTO events VALUES(11,'2026-11-29T22:00:23.375Z','9a7132e5a8ac4349','2026-11-30:community/read@main','committed','{"committed":{"trouble":null}}');
INSERT INTO events VALUES(12,'2026-11-29T22:00:23.396Z','9a7132e5a8ac4349','2026-11-30:community/read@main','read','{"read":{"which":"verify","reading":{"answer":{"goal":{"have":"1","want":"5"}},"values":{"progress":{"number":{"value":"1"}},"total":{"number":{"value":"5"}}}}}}');
INSERT INTO events VALUES(13,'2026-11-29T22:00:23.409Z','9a7132e5a8ac4349','2026-11-30:community/read@main','intended','{"intended":{"generation":1,"unit":"1"}}');
INSERT INTO events VALUES(14,'2026-11-29T22:00:38.822Z','9a7132e5a8ac4349','2026-11-30:community/read@main','committed','{"committed":{"trouble":null}}');
INSERT INTO events VALUES(15,'2026-11-29T22:00:38.841Z','9a7132e5a8ac4349','2026-11-30:community/read@main','read','{"read":{"which":"verify","reading":{"answer":{"goal":{"have":"2","want":"5"}},"values":{"progress":{"number":{"value":"2"}},"total":{"number":{"value":"5"}}}}}}');
INSERT INTO events VALUES(16,'2026-11-29T22:00:38.856Z','9a7132e5a8ac4349','2026-11-30:community/read@main','intended','{"intended":{"generation":2,"unit":"2"}}');
INSERT INTO events VALUES(17,'2026-11-29T22:00:54.359Z','9a7132e5a8ac4349','2026-11-30:community/read@main','committed','{"committed":{"trouble":null}}');
INSERT INTO events VALUES(18,'2026-11-29T22:00:54.374Z','9a7132e5a8ac4349','2026-11-30:community/read@main','read','{"read":{"which":"verify","reading":{"answer":{"goal":{"have":"3","want":"5"}},"values":{"progress":{"number":{"value":"3"}},"total":{"number":{"value":"5"}}}}}}');
INSERT INTO events VALUES(19,'2026-11-29T22:00:54.385Z','9a7132e5a8ac4349','2026-11-30:community/read@main','intended','{"intended":{"generation":3,"unit":"3"}}');
INSERT INTO events VALUES(20,'2026-11-29T22:01:09.838Z','9a7132e5a8ac4349','2026-11-30:community/read@main','committed','{"committed":{"trouble":null}}');
INSERT INTO events VALUES(21,'2026-11-29T22:01:09.857Z','9a7132e5a8ac4349','2026-11-30:community/read@main','read','{"read":{"which":"verify","reading":{"answer":{"goal":{"have":"4","want":"5"}},"values":{"progress":{"number":{"value":"4"}},"total":{"number":{"value":"5"}}}}}}');
INSERT INTO events VALUES(22,'2026-11-29T22:01:09.868Z','9a7132e5a8ac4349','2026-11-30:community/read@main','intended','{"intended":{"generation":4,"unit":"4"}}');
INSERT INTO events VALUES(23,'2026-11-29T22:01:25.222Z','9a7132e5a8ac4349','2026-11-30:community/read@main','committed','{"committed":{"trouble":null}}');
INSERT INTO events VALUES(24,'2026-11-29T22:01:25.255Z','9a7132e5a8ac4349','2026-11-30:community/read@main','read','{"read":{"which":"verify","reading":{"answer":{"goal":{"have":"5","want":"5"}},"values":{"progress":{"number":{"value":"5"}},"total":{"number":{"value":"5"}}}}}}');
INSERT INTO events VALUES(25,'2026-11-29T22:01:25.402Z','92a8ce52a3f33b6e','2026-11-30:community/publish@main','started','{"started":{"source":"schedule"}}');
INSERT INTO events VALUES(26,'2026-11-29T22:01:30.200Z','92a8ce52a3f33b6e','2026-11-30:community/publish@main','read_failed','{"read_failed":{"which":"sign_in","failure":{"kind":"captcha","message":"The page shows <div.geetest_panel.geetest_wind> “安全验证 请完成安全验证后继续：拖动下方滑块完成拼图 → 向右拖动滑块填充拼图” (and slider-dialog).","step":"tasks/community/site.yaml:20:7 fill","page":"community.example/login","rule":"geetest-puzzle","picture":"20261129T220130199Z-captcha.png"}}}');
CREATE TABLE intents (
    key TEXT NOT NULL,
    generation INTEGER NOT NULL,
    at TEXT NOT NULL,
    run TEXT NOT NULL,
    token INTEGER NOT NULL,          -- of the lease under which it was written
    state TEXT NOT NULL CHECK (state IN ('intended', 'sent', 'not_sent')),
    PRIMARY KEY (key, generation)
) STRICT;
INSERT INTO intents VALUES('2026-11-30:community/checkin@main',0,'2026-11-29T22:00:07.410Z','9a7132e5a8ac4349',1,'sent');
INSERT INTO intents VALUES('2026-11-30:community/read@main#0',0,'2026-11-29T22:00:07.861Z','9a7132e5a8ac4349',1,'sent');
INSERT INTO intents VALUES('2026-11-30:community/read@main#1',1,'2026-11-29T22:00:23.409Z','9a7132e5a8ac4349',1,'sent');
INSERT INTO intents VALUES('2026-11-30:community/read@main#2',2,'2026-11-29T22:00:38.856Z','9a7132e5a8ac4349',1,'sent');
INSERT INTO intents VALUES('2026-11-30:community/read@main#3',3,'2026-11-29T22:00:54.385Z','9a7132e5a8ac4349',1,'sent');
INSERT INTO intents VALUES('2026-11-30:community/read@main#4',4,'2026-11-29T22:01:09.868Z','9a7132e5a8ac4349',1,'sent');
CREATE TABLE sign_ins (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    site TEXT NOT NULL,
    account TEXT NOT NULL,
    day TEXT NOT NULL,               -- the site's
    at TEXT NOT NULL,
    run TEXT NOT NULL,
    token INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('intended', 'sent', 'not_sent'))
) STRICT;
INSERT INTO sign_ins VALUES(1,'community','main','2026-11-30','2026-11-29T22:00:06.467Z','9a7132e5a8ac4349',1,'sent');
CREATE TABLE leases (
    lane TEXT PRIMARY KEY,
    holder TEXT NOT NULL,            -- JSON: host, boot id, pid, start time
    token INTEGER NOT NULL,
    expires_at TEXT NOT NULL
) STRICT;
INSERT INTO leases VALUES('community@main','{"host":"vm","boot":"128f58ca-e5be-471a-a635-203c8a06b2df","pid":30523,"start":200025}',2,'2026-11-29T22:01:31.484Z');
CREATE TABLE tickets (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    site TEXT NOT NULL,
    account TEXT NOT NULL,           -- '' for the whole site
    kind TEXT NOT NULL,
    suspends INTEGER NOT NULL,
    task TEXT,                       -- for a question to a person
    text TEXT NOT NULL,              -- what to do
    failure TEXT,                    -- JSON
    fingerprint TEXT,                -- keyed hash of the secret that was rejected
    opened_at TEXT NOT NULL,
    closed_at TEXT,
    closed_by TEXT
) STRICT;
INSERT INTO tickets VALUES(1,'community','main','captcha',1,NULL,'The page shows <div.geetest_panel.geetest_wind> “安全验证 请完成安全验证后继续：拖动下方滑块完成拼图 → 向右拖动滑块填充拼图” (and slider-dialog).','{"kind":"captcha","message":"The page shows <div.geetest_panel.geetest_wind> “安全验证 请完成安全验证后继续：拖动下方滑块完成拼图 → 向右拖动滑块填充拼图” (and slider-dialog).","step":"tasks/community/site.yaml:20:7 fill","page":"community.example/login","rule":"geetest-puzzle","picture":"20261129T220130199Z-captcha.png"}',NULL,'2026-11-29T22:01:30.200Z',NULL,NULL);
CREATE TABLE waits (site TEXT PRIMARY KEY, until TEXT NOT NULL, kind TEXT NOT NULL, message TEXT NOT NULL) STRICT;
CREATE TABLE decisions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL,
    source TEXT NOT NULL,
    answer TEXT NOT NULL,
    first_at TEXT NOT NULL,
    last_at TEXT NOT NULL,
    count INTEGER NOT NULL
) STRICT;
INSERT INTO decisions VALUES(1,'2026-11-30:community/checkin@main','hand','run','2026-11-29T22:00:00.048Z','2026-11-29T22:00:00.048Z',1);
INSERT INTO decisions VALUES(2,'2026-11-30:community/read@main','hand','run','2026-11-29T22:00:07.823Z','2026-11-29T22:00:07.823Z',1);
INSERT INTO decisions VALUES(3,'2026-11-30:community/checkin@main','hand','already_done','2026-11-29T22:01:25.259Z','2026-11-29T22:01:30.213Z',5);
INSERT INTO decisions VALUES(4,'2026-11-30:community/read@main','hand','already_done','2026-11-29T22:01:25.259Z','2026-11-29T22:01:30.213Z',3);
INSERT INTO decisions VALUES(5,'2026-11-30:community/publish@main','schedule','run','2026-11-29T22:01:25.323Z','2026-11-29T22:01:25.323Z',1);
INSERT INTO decisions VALUES(6,'2026-11-30:community/publish@main','schedule','ticket: #1','2026-11-29T22:01:30.213Z','2026-11-29T22:01:30.213Z',2);
CREATE TABLE attempts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL,
    run TEXT NOT NULL,
    source TEXT NOT NULL,
    started_at TEXT NOT NULL,
    finished_at TEXT,
    duration_ms INTEGER,
    status TEXT,
    kind TEXT,
    step TEXT,
    error TEXT
) STRICT;
INSERT INTO attempts VALUES(1,'2026-11-30:community/checkin@main','9a7132e5a8ac4349','hand','2026-11-29T22:00:00.060Z','2026-11-29T22:00:07.823Z',7762,'success',NULL,NULL,NULL);
INSERT INTO attempts VALUES(2,'2026-11-30:community/read@main','9a7132e5a8ac4349','hand','2026-11-29T22:00:07.823Z','2026-11-29T22:01:25.259Z',2435,'success',NULL,NULL,NULL);
INSERT INTO attempts VALUES(3,'2026-11-30:community/publish@main','92a8ce52a3f33b6e','schedule','2026-11-29T22:01:25.403Z','2026-11-29T22:01:30.213Z',4810,'blocked','captcha','tasks/community/site.yaml:20:7 fill','The page shows <div.geetest_panel.geetest_wind> “安全验证 请完成安全验证后继续：拖动下方滑块完成拼图 → 向右拖动滑块填充拼图” (and slider-dialog).');
CREATE TABLE rows (
    site TEXT NOT NULL,
    account TEXT NOT NULL,
    feed TEXT NOT NULL,
    row_id TEXT NOT NULL,
    day TEXT NOT NULL,               -- the site's day it was read for
    position INTEGER NOT NULL,       -- as the server listed it
    cells TEXT NOT NULL,             -- JSON
    collected_at TEXT NOT NULL,
    reported_at TEXT,
    PRIMARY KEY (site, account, feed, row_id)
) STRICT;
INSERT INTO "rows" VALUES('community','main','points','{"amount":{"value":{"number":{"value":"10"}}},"time":{"value":{"time":"2026-11-29T22:01:25Z"}},"title":{"value":{"text":"阅读奖励"}}}#0','2026-11-30',0,'{"cells":{"amount":{"value":{"number":{"value":"10"}}},"time":{"value":{"time":"2026-11-29T22:01:25Z"}},"title":{"value":{"text":"阅读奖励"}}}}','2026-11-29T22:01:25.397Z','2026-11-29T22:01:26.482Z');
INSERT INTO "rows" VALUES('community','main','points','{"amount":{"value":{"number":{"value":"10"}}},"time":{"value":{"time":"2026-11-29T22:00:07Z"}},"title":{"value":{"text":"每日签到"}}}#0','2026-11-30',1,'{"cells":{"amount":{"value":{"number":{"value":"10"}}},"time":{"value":{"time":"2026-11-29T22:00:07Z"}},"title":{"value":{"text":"每日签到"}}}}','2026-11-29T22:01:25.397Z','2026-11-29T22:01:26.482Z');
CREATE TABLE points_reads (
    site TEXT NOT NULL,
    account TEXT NOT NULL,
    day TEXT NOT NULL,
    at TEXT NOT NULL,
    balance TEXT,
    incomplete TEXT,
    PRIMARY KEY (site, account, day)
) STRICT;
INSERT INTO points_reads VALUES('community','main','2026-11-30','2026-11-29T22:01:25.397Z','135',NULL);
CREATE TABLE reports (
    date TEXT NOT NULL,              -- the runner's
    number INTEGER NOT NULL,
    rendered_at TEXT NOT NULL,
    subject TEXT NOT NULL,
    text TEXT NOT NULL,
    html TEXT NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (date, number)
) STRICT;
INSERT INTO reports VALUES('2026-11-30',1,'2026-11-29T22:01:26.482Z','【彩排】晨报 11-30：2 项完成，+20 积分','text','<p>','{}');
INSERT INTO reports VALUES('2026-11-30',2,'2026-11-29T22:01:31.485Z','【彩排】需要你：开发者社区 人机验证 · 晨报 11-30 补充 2：2 项完成，+20 积分','text','<p>','{}');
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    date TEXT NOT NULL,
    number INTEGER NOT NULL,
    sender TEXT NOT NULL,
    recipient TEXT NOT NULL,
    message_id TEXT NOT NULL UNIQUE,
    bytes BLOB NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'uncertain', 'failed')),
    tries INTEGER NOT NULL DEFAULT 0,
    unanswered INTEGER NOT NULL DEFAULT 0,   -- sends that may have arrived
    due TEXT,
    last_error TEXT,
    changed_at TEXT NOT NULL
) STRICT;
INSERT INTO outbox VALUES(1,'2026-11-30',1,'sunup@example.org','reader@example.org','<sunup.2026-11-30.1.f736fbac9a0c5fa4@example.org>',X'5375626a6563743a2078','sent',1,0,NULL,NULL,'2026-11-29T22:01:26.520Z');
INSERT INTO outbox VALUES(2,'2026-11-30',2,'sunup@example.org','reader@example.org','<sunup.2026-11-30.2.f736fbac9a0c5fa4@example.org>',X'5375626a6563743a2078','sent',1,0,NULL,NULL,'2026-11-29T22:01:31.545Z');
CREATE TABLE losses (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    found_at TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('damaged', 'gone', 'older_copy', 'another')),
    known_to TEXT,                   -- the last time on record in what was left
    reason TEXT NOT NULL,            -- what was seen, in English
    kept TEXT                        -- the name of the file that was set aside
) STRICT;
CREATE TABLE acknowledgements (
    key TEXT NOT NULL REFERENCES keys (key),
    at TEXT NOT NULL,
    by TEXT NOT NULL
) STRICT;
CREATE TABLE notices (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('remind', 'alarm', 'dead', 'skip')),
    about TEXT NOT NULL,             -- the key and since when, or the alarm
    made_at TEXT NOT NULL,
    over_at TEXT
) STRICT;
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('decisions',6);
INSERT INTO sqlite_sequence VALUES('events',26);
INSERT INTO sqlite_sequence VALUES('attempts',3);
INSERT INTO sqlite_sequence VALUES('sign_ins',1);
INSERT INTO sqlite_sequence VALUES('outbox',2);
INSERT INTO sqlite_sequence VALUES('tickets',1);
CREATE INDEX keys_open ON keys (site, account) WHERE closed_at IS NULL;
CREATE INDEX keys_report ON keys (report_date);
CREATE INDEX events_key ON events (key, seq);
CREATE INDEX sign_ins_day ON sign_ins (site, account, day);
CREATE UNIQUE INDEX tickets_open ON tickets (site, account, kind, ifnull(task, '')) WHERE closed_at IS NULL;
CREATE INDEX decisions_key ON decisions (key, id);
CREATE INDEX attempts_key ON attempts (key, id);
CREATE INDEX rows_day ON rows (day, site, account);
CREATE INDEX keys_closed ON keys (closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX reports_rendered ON reports (rendered_at, date);
CREATE INDEX outbox_undelivered ON outbox (id) WHERE state <> 'sent';
CREATE INDEX outbox_date ON outbox (date, number);
CREATE INDEX tickets_rejected ON tickets (site, account) WHERE fingerprint IS NOT NULL;
CREATE INDEX keys_dead ON keys (closed_at) WHERE status = 'dead';
CREATE INDEX acknowledgements_key ON acknowledgements (key, at);
CREATE UNIQUE INDEX notices_made ON notices (kind, about) WHERE over_at IS NULL;
COMMIT;
PRAGMA user_version = 3;
