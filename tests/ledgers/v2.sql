-- A ledger of version 2 with a rehearsed morning in it: what every later version must be able to read.
BEGIN;
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
CREATE TABLE decisions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL,
    source TEXT NOT NULL,
    answer TEXT NOT NULL,
    first_at TEXT NOT NULL,
    last_at TEXT NOT NULL,
    count INTEGER NOT NULL
) STRICT;
CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    run TEXT NOT NULL,
    key TEXT NOT NULL REFERENCES keys (key),
    kind TEXT NOT NULL,
    data TEXT NOT NULL               -- JSON
) STRICT;
CREATE TABLE intents (
    key TEXT NOT NULL,
    generation INTEGER NOT NULL,
    at TEXT NOT NULL,
    run TEXT NOT NULL,
    token INTEGER NOT NULL,          -- of the lease under which it was written
    state TEXT NOT NULL CHECK (state IN ('intended', 'sent', 'not_sent')),
    PRIMARY KEY (key, generation)
) STRICT;
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
CREATE TABLE leases (
    lane TEXT PRIMARY KEY,
    holder TEXT NOT NULL,            -- JSON: host, boot id, pid, start time
    token INTEGER NOT NULL,
    expires_at TEXT NOT NULL
) STRICT;
CREATE TABLE losses (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    found_at TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('damaged', 'gone', 'older_copy', 'another')),
    known_to TEXT,                   -- the last time on record in what was left
    reason TEXT NOT NULL,            -- what was seen, in English
    kept TEXT                        -- the name of the file that was set aside
) STRICT;
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
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
CREATE TABLE points_reads (
    site TEXT NOT NULL,
    account TEXT NOT NULL,
    day TEXT NOT NULL,
    at TEXT NOT NULL,
    balance TEXT,
    incomplete TEXT,
    PRIMARY KEY (site, account, day)
) STRICT;
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
CREATE TABLE waits (site TEXT PRIMARY KEY, until TEXT NOT NULL, kind TEXT NOT NULL, message TEXT NOT NULL) STRICT;
CREATE INDEX keys_open ON keys (site, account) WHERE closed_at IS NULL;
CREATE INDEX keys_report ON keys (report_date);
CREATE INDEX events_key ON events (key, seq);
CREATE INDEX sign_ins_day ON sign_ins (site, account, day);
CREATE UNIQUE INDEX tickets_open ON tickets (site, account, kind, ifnull(task, '')) WHERE closed_at IS NULL;
CREATE INDEX decisions_key ON decisions (key, id);
CREATE INDEX attempts_key ON attempts (key, id);
CREATE INDEX rows_day ON rows (day, site, account);
INSERT INTO "losses" VALUES(1,'2026-11-30T07:00:00.000Z','damaged',NULL,'only its first bytes are left','ledger.damaged-20261130T070000Z');
INSERT INTO "meta" VALUES('high_water','2026-11-29T22:01:25.319Z');
INSERT INTO "meta" VALUES('id','5d0f1c6b7a8e4f2093b1c2d3e4f50617');
INSERT INTO "keys" VALUES('2026-11-30:community/checkin@main','community','checkin','main','{"kind":"day","day":"2026-11-30","start":"2026-11-30","end":"2026-11-30","from":"2026-11-29T16:00:00Z","to":"2026-11-30T16:00:00Z"}','{"slot":"2026-11-29T22:00:00Z","until":"2026-11-30T15:30:00Z"}','2026-11-30','success',NULL,NULL,'2026-11-29T22:00:00.035Z','2026-11-29T22:00:06.607Z','2026-11-29T22:00:06.607Z');
INSERT INTO "keys" VALUES('2026-11-30:community/publish@main','community','publish','main','{"kind":"day","day":"2026-11-30","start":"2026-11-30","end":"2026-11-30","from":"2026-11-29T16:00:00Z","to":"2026-11-30T16:00:00Z"}','{"slot":"2026-11-29T22:00:00Z","until":"2026-11-30T15:30:00Z"}','2026-11-30','success',NULL,NULL,'2026-11-29T22:00:06.609Z','2026-11-29T22:00:07.808Z','2026-11-29T22:00:07.808Z');
INSERT INTO "keys" VALUES('2026-11-30:community/read@main','community','read','main','{"kind":"day","day":"2026-11-30","start":"2026-11-30","end":"2026-11-30","from":"2026-11-29T16:00:00Z","to":"2026-11-30T16:00:00Z"}','{"slot":"2026-11-29T22:00:00Z","until":"2026-11-30T15:30:00Z"}','2026-11-30','success',NULL,NULL,'2026-11-29T22:00:07.809Z','2026-11-29T22:01:25.319Z','2026-11-29T22:01:25.319Z');
INSERT INTO "attempts" VALUES(1,'2026-11-30:community/checkin@main','318b77dabd1aca9d','schedule','2026-11-29T22:00:00.041Z','2026-11-29T22:00:06.609Z',6567,'success',NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,'2026-11-30:community/publish@main','318b77dabd1aca9d','schedule','2026-11-29T22:00:06.609Z','2026-11-29T22:00:07.809Z',1199,'success',NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,'2026-11-30:community/read@main','318b77dabd1aca9d','schedule','2026-11-29T22:00:07.810Z','2026-11-29T22:01:25.320Z',2510,'success',NULL,NULL,NULL);
INSERT INTO "decisions" VALUES(1,'2026-11-30:community/checkin@main','schedule','run','2026-11-29T22:00:00.035Z','2026-11-29T22:00:00.035Z',1);
INSERT INTO "decisions" VALUES(2,'2026-11-30:community/publish@main','schedule','run','2026-11-29T22:00:06.609Z','2026-11-29T22:00:06.609Z',1);
INSERT INTO "decisions" VALUES(3,'2026-11-30:community/read@main','schedule','run','2026-11-29T22:00:07.809Z','2026-11-29T22:00:07.809Z',1);
INSERT INTO "decisions" VALUES(4,'2026-11-30:community/checkin@main','schedule','already_done','2026-11-29T22:01:25.322Z','2026-11-29T22:01:25.322Z',1);
INSERT INTO "decisions" VALUES(5,'2026-11-30:community/publish@main','schedule','already_done','2026-11-29T22:01:25.324Z','2026-11-29T22:01:25.324Z',1);
INSERT INTO "decisions" VALUES(6,'2026-11-30:community/read@main','schedule','already_done','2026-11-29T22:01:25.324Z','2026-11-29T22:01:25.324Z',1);
INSERT INTO "events" VALUES(1,'2026-11-29T22:00:00.041Z','318b77dabd1aca9d','2026-11-30:community/checkin@main','started','{"started":{"source":"schedule"}}');
INSERT INTO "events" VALUES(2,'2026-11-29T22:00:05.620Z','318b77dabd1aca9d','2026-11-30:community/checkin@main','read','{"read":{"which":"check","reading":{"answer":"todo","values":{"signed":{"boolean":false}}}}}');
INSERT INTO "events" VALUES(3,'2026-11-29T22:00:05.915Z','318b77dabd1aca9d','2026-11-30:community/checkin@main','read','{"read":{"which":"baseline","reading":{"answer":"not_yet","values":{"balance":{"number":{"value":"115"}},"details":{"rows":{"rows":[],"read":6}}},"notes":[{"note":"kept","text":"details: 0 of 6 rows kept"}]}}}');
INSERT INTO "events" VALUES(4,'2026-11-29T22:00:06.110Z','318b77dabd1aca9d','2026-11-30:community/checkin@main','prepared','{"prepared":{"notes":[]}}');
INSERT INTO "events" VALUES(5,'2026-11-29T22:00:06.110Z','318b77dabd1aca9d','2026-11-30:community/checkin@main','intended','{"intended":{"generation":0,"unit":null}}');
INSERT INTO "events" VALUES(6,'2026-11-29T22:00:06.393Z','318b77dabd1aca9d','2026-11-30:community/checkin@main','committed','{"committed":{"trouble":null}}');
INSERT INTO "events" VALUES(7,'2026-11-29T22:00:06.607Z','318b77dabd1aca9d','2026-11-30:community/checkin@main','read','{"read":{"which":"verify","reading":{"answer":"done","values":{"balance":{"number":{"value":"125"}},"details":{"rows":{"rows":[{"cells":{"amount":{"value":{"number":{"value":"10"}}},"time":{"value":{"time":"2026-11-29T22:00:06Z"}},"title":{"value":{"text":"每日签到"}}}}],"read":6}}},"notes":[{"note":"kept","text":"details: 1 of 6 rows kept"}]}}}');
INSERT INTO "events" VALUES(8,'2026-11-29T22:00:06.609Z','318b77dabd1aca9d','2026-11-30:community/publish@main','started','{"started":{"source":"schedule"}}');
INSERT INTO "events" VALUES(9,'2026-11-29T22:00:06.877Z','318b77dabd1aca9d','2026-11-30:community/publish@main','read','{"read":{"which":"check","reading":{"answer":"todo","values":{"mine":{"rows":{"rows":[],"read":5}}},"notes":[{"note":"kept","text":"mine: 0 of 5 rows kept"}]}}}');
INSERT INTO "events" VALUES(10,'2026-11-29T22:00:07.550Z','318b77dabd1aca9d','2026-11-30:community/publish@main','prepared','{"prepared":{"notes":[]}}');
INSERT INTO "events" VALUES(11,'2026-11-29T22:00:07.550Z','318b77dabd1aca9d','2026-11-30:community/publish@main','intended','{"intended":{"generation":0,"unit":null}}');
INSERT INTO "events" VALUES(12,'2026-11-29T22:00:07.660Z','318b77dabd1aca9d','2026-11-30:community/publish@main','committed','{"committed":{"trouble":null}}');
INSERT INTO "events" VALUES(13,'2026-11-29T22:00:07.808Z','318b77dabd1aca9d','2026-11-30:community/publish@main','read','{"read":{"which":"verify","reading":{"answer":"done","values":{"mine":{"rows":{"rows":[{"cells":{"time":{"value":{"time":"2026-11-29T22:00:07Z"}},"title":{"value":{"text":"日记 2026-11-30"}}}}],"read":5}}},"notes":[{"note":"kept","text":"mine: 1 of 5 rows kept"}]}}}');
INSERT INTO "events" VALUES(14,'2026-11-29T22:00:07.809Z','318b77dabd1aca9d','2026-11-30:community/read@main','started','{"started":{"source":"schedule"}}');
INSERT INTO "events" VALUES(15,'2026-11-29T22:00:07.826Z','318b77dabd1aca9d','2026-11-30:community/read@main','read','{"read":{"which":"check","reading":{"answer":{"goal":{"have":"0","want":"5"}},"values":{"progress":{"number":{"value":"0"}},"total":{"number":{"value":"5"}}}}}}');
INSERT INTO "events" VALUES(16,'2026-11-29T22:00:07.841Z','318b77dabd1aca9d','2026-11-30:community/read@main','intended','{"intended":{"generation":0,"unit":"0"}}');
INSERT INTO "events" VALUES(17,'2026-11-29T22:00:23.195Z','318b77dabd1aca9d','2026-11-30:community/read@main','committed','{"committed":{"trouble":null}}');
INSERT INTO "events" VALUES(18,'2026-11-29T22:00:23.214Z','318b77dabd1aca9d','2026-11-30:community/read@main','read','{"read":{"which":"verify","reading":{"answer":{"goal":{"have":"1","want":"5"}},"values":{"progress":{"number":{"value":"1"}},"total":{"number":{"value":"5"}}}}}}');
INSERT INTO "events" VALUES(19,'2026-11-29T22:00:23.229Z','318b77dabd1aca9d','2026-11-30:community/read@main','intended','{"intended":{"generation":1,"unit":"1"}}');
INSERT INTO "events" VALUES(20,'2026-11-29T22:00:38.695Z','318b77dabd1aca9d','2026-11-30:community/read@main','committed','{"committed":{"trouble":null}}');
INSERT INTO "events" VALUES(21,'2026-11-29T22:00:38.720Z','318b77dabd1aca9d','2026-11-30:community/read@main','read','{"read":{"which":"verify","reading":{"answer":{"goal":{"have":"2","want":"5"}},"values":{"progress":{"number":{"value":"2"}},"total":{"number":{"value":"5"}}}}}}');
INSERT INTO "events" VALUES(22,'2026-11-29T22:00:38.738Z','318b77dabd1aca9d','2026-11-30:community/read@main','intended','{"intended":{"generation":2,"unit":"2"}}');
INSERT INTO "events" VALUES(23,'2026-11-29T22:00:54.147Z','318b77dabd1aca9d','2026-11-30:community/read@main','committed','{"committed":{"trouble":null}}');
INSERT INTO "events" VALUES(24,'2026-11-29T22:00:54.187Z','318b77dabd1aca9d','2026-11-30:community/read@main','read','{"read":{"which":"verify","reading":{"answer":{"goal":{"have":"3","want":"5"}},"values":{"progress":{"number":{"value":"3"}},"total":{"number":{"value":"5"}}}}}}');
INSERT INTO "events" VALUES(25,'2026-11-29T22:00:54.207Z','318b77dabd1aca9d','2026-11-30:community/read@main','intended','{"intended":{"generation":3,"unit":"3"}}');
INSERT INTO "events" VALUES(26,'2026-11-29T22:01:09.649Z','318b77dabd1aca9d','2026-11-30:community/read@main','committed','{"committed":{"trouble":null}}');
INSERT INTO "events" VALUES(27,'2026-11-29T22:01:09.701Z','318b77dabd1aca9d','2026-11-30:community/read@main','read','{"read":{"which":"verify","reading":{"answer":{"goal":{"have":"4","want":"5"}},"values":{"progress":{"number":{"value":"4"}},"total":{"number":{"value":"5"}}}}}}');
INSERT INTO "events" VALUES(28,'2026-11-29T22:01:09.728Z','318b77dabd1aca9d','2026-11-30:community/read@main','intended','{"intended":{"generation":4,"unit":"4"}}');
INSERT INTO "events" VALUES(29,'2026-11-29T22:01:25.270Z','318b77dabd1aca9d','2026-11-30:community/read@main','committed','{"committed":{"trouble":null}}');
INSERT INTO "events" VALUES(30,'2026-11-29T22:01:25.319Z','318b77dabd1aca9d','2026-11-30:community/read@main','read','{"read":{"which":"verify","reading":{"answer":{"goal":{"have":"5","want":"5"}},"values":{"progress":{"number":{"value":"5"}},"total":{"number":{"value":"5"}}}}}}');
INSERT INTO "intents" VALUES('2026-11-30:community/checkin@main',0,'2026-11-29T22:00:06.110Z','318b77dabd1aca9d',1,'sent');
INSERT INTO "intents" VALUES('2026-11-30:community/publish@main',0,'2026-11-29T22:00:07.550Z','318b77dabd1aca9d',1,'sent');
INSERT INTO "intents" VALUES('2026-11-30:community/read@main#0',0,'2026-11-29T22:00:07.841Z','318b77dabd1aca9d',1,'sent');
INSERT INTO "intents" VALUES('2026-11-30:community/read@main#1',1,'2026-11-29T22:00:23.229Z','318b77dabd1aca9d',1,'sent');
INSERT INTO "intents" VALUES('2026-11-30:community/read@main#2',2,'2026-11-29T22:00:38.738Z','318b77dabd1aca9d',1,'sent');
INSERT INTO "intents" VALUES('2026-11-30:community/read@main#3',3,'2026-11-29T22:00:54.207Z','318b77dabd1aca9d',1,'sent');
INSERT INTO "intents" VALUES('2026-11-30:community/read@main#4',4,'2026-11-29T22:01:09.728Z','318b77dabd1aca9d',1,'sent');
INSERT INTO "leases" VALUES('community@main','{"host": "example-host", "boot": "6f1ddc9e-0000-4000-8000-000000000000", "pid": 4242, "start": 777}',1,'2026-11-29T22:01:26.241Z');
INSERT INTO "outbox" VALUES(1,'2026-11-30',1,'sunup@example.org','reader@example.org','<sunup.2026-11-30.1.f736fbac9a0c5fa4@example.org>',X'5375626A6563743A2053756E75700D0A0D0A41206D6F726E696E672E','sent',1,0,NULL,NULL,'2026-11-29T22:01:26.255Z');
INSERT INTO "points_reads" VALUES('community','main','2026-11-30','2026-11-29T22:01:25.631Z','165',NULL);
INSERT INTO "reports" VALUES('2026-11-30',1,'2026-11-29T22:01:26.241Z','【彩排】晨报 11-30：3 项完成，+50 积分','*** 这是一次彩排 ***
没有碰到任何真实的站点，下面的一切都发生在演练页面上。
情景：fresh

晨报 · 11月30日 星期一

都完成了
3 项完成，+50 积分

完成 3 / 3 · 今日积分 +50 · 需要你 没有

== 完成 ==

* 每日签到 [完成 · success]
    开发者社区 · main · 06:00 做了 · 06:00 核实
    证据：balance = 125, details: 1/6

* 每日一文 [完成 · success]
    开发者社区 · main · 06:00 做了 · 06:00 核实
    证据：mine: 1/5

* 阅读五篇文章 [完成 · success]
    开发者社区 · main · 06:01 做了 · 06:01 核实
    证据：progress = 5, total = 5

== 积分 ==

开发者社区 · main
入账 +50 · 余额 165
    06:01  +10  阅读奖励
    06:00  +30  发布文章
    06:00  +10  每日签到
  - 预期的 3 笔都在明细里

== 接下来 ==

    12-01 06:00  每日签到 · 开发者社区 · main
    12-01 06:00  每日一文 · 开发者社区 · main
    12-01 06:00  阅读五篇文章 · 开发者社区 · main

--
「完成」都是从服务器上读回来的；积分以服务器的明细为准。
统计范围 06:00 至 06:01
06:01 生成 · 时区 Asia/Shanghai
','<p>A morning.</p>','{"date":"2026-11-30","number":1,"zone":"Asia/Shanghai","generated_at":"2026-11-29T22:01:26.241Z","from":"2026-11-29T22:00:00Z","to":"2026-11-29T22:01:26.241Z","rehearsal":{"scenario":"fresh","refused_hosts":[]},"alerts":[],"tickets":[],"runs":[{"task":"community/checkin","name":"每日签到","site":"开发者社区","account":"main","period":"2026-11-30","status":"success","attempts":1,"acted_at":"2026-11-29T22:00:06.110Z","verified_at":"2026-11-29T22:00:06.607Z","evidence":"balance = 125, details: 1/6","changed":false},{"task":"community/publish","name":"每日一文","site":"开发者社区","account":"main","period":"2026-11-30","status":"success","attempts":1,"acted_at":"2026-11-29T22:00:07.550Z","verified_at":"2026-11-29T22:00:07.808Z","evidence":"mine: 1/5","changed":false},{"task":"community/read","name":"阅读五篇文章","site":"开发者社区","account":"main","period":"2026-11-30","status":"success","attempts":1,"acted_at":"2026-11-29T22:01:09.728Z","verified_at":"2026-11-29T22:01:25.319Z","evidence":"progress = 5, total = 5","changed":false}],"points":[{"site":"开发者社区","account":"main","day":"2026-11-30","read":"complete","rows":[{"time":"2026-11-29T22:01:25Z","title":"阅读奖励","amount":{"number":{"value":"10"}},"new":true},{"time":"2026-11-29T22:00:07Z","title":"发布文章","amount":{"number":{"value":"30"}},"new":true},{"time":"2026-11-29T22:00:06Z","title":"每日签到","amount":{"number":{"value":"10"}},"new":true}],"balance":{"value":"165"},"expected":[{"task":"每日签到","title":"每日签到","points":"10"},{"task":"每日一文","title":"发布文章","points":"30"},{"task":"阅读五篇文章","title":"阅读奖励","points":"10"}]}],"next_runs":[{"name":"每日签到","site":"开发者社区","account":"main","at":"2026-11-30T22:00:00Z"},{"name":"每日一文","site":"开发者社区","account":"main","at":"2026-11-30T22:00:00Z"},{"name":"阅读五篇文章","site":"开发者社区","account":"main","at":"2026-11-30T22:00:00Z"}]}');
INSERT INTO "rows" VALUES('community','main','points','{"amount":{"value":{"number":{"value":"10"}}},"time":{"value":{"time":"2026-11-29T22:01:25Z"}},"title":{"value":{"text":"阅读奖励"}}}#0','2026-11-30',0,'{"cells":{"amount":{"value":{"number":{"value":"10"}}},"time":{"value":{"time":"2026-11-29T22:01:25Z"}},"title":{"value":{"text":"阅读奖励"}}}}','2026-11-29T22:01:25.631Z','2026-11-29T22:01:26.241Z');
INSERT INTO "rows" VALUES('community','main','points','{"amount":{"value":{"number":{"value":"30"}}},"time":{"value":{"time":"2026-11-29T22:00:07Z"}},"title":{"value":{"text":"发布文章"}}}#0','2026-11-30',1,'{"cells":{"amount":{"value":{"number":{"value":"30"}}},"time":{"value":{"time":"2026-11-29T22:00:07Z"}},"title":{"value":{"text":"发布文章"}}}}','2026-11-29T22:01:25.631Z','2026-11-29T22:01:26.241Z');
INSERT INTO "rows" VALUES('community','main','points','{"amount":{"value":{"number":{"value":"10"}}},"time":{"value":{"time":"2026-11-29T22:00:06Z"}},"title":{"value":{"text":"每日签到"}}}#0','2026-11-30',2,'{"cells":{"amount":{"value":{"number":{"value":"10"}}},"time":{"value":{"time":"2026-11-29T22:00:06Z"}},"title":{"value":{"text":"每日签到"}}}}','2026-11-29T22:01:25.631Z','2026-11-29T22:01:26.241Z');
INSERT INTO "sign_ins" VALUES(1,'community','main','2026-11-30','2026-11-29T22:00:05.049Z','318b77dabd1aca9d',1,'sent');
INSERT INTO "tickets" VALUES(1,'community','main','captcha',1,NULL,'a slider asks for a person','{"kind":"captcha","message":"a slider asks for a person"}',NULL,'2026-11-30T00:10:00.000Z',NULL,NULL);
INSERT INTO "waits" VALUES('elsewhere','2026-11-30T08:00:00.000Z','maintenance','The server answered 503.');
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('decisions',6);
INSERT INTO "sqlite_sequence" VALUES('events',30);
INSERT INTO "sqlite_sequence" VALUES('attempts',3);
INSERT INTO "sqlite_sequence" VALUES('sign_ins',1);
INSERT INTO "sqlite_sequence" VALUES('outbox',1);
INSERT INTO "sqlite_sequence" VALUES('tickets',1);
INSERT INTO "sqlite_sequence" VALUES('losses',1);
COMMIT;
PRAGMA user_version = 2;
