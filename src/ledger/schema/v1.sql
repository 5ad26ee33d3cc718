-- The ledger, version 1. Times are UTC with milliseconds, so that they compare as text.

-- One line about the ledger itself.
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

-- Every key that was ever planned, with the state that its events fold to.
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
CREATE INDEX keys_open ON keys (site, account) WHERE closed_at IS NULL;
CREATE INDEX keys_report ON keys (report_date);

-- All that happened to a key, append-only.
CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    run TEXT NOT NULL,
    key TEXT NOT NULL REFERENCES keys (key),
    kind TEXT NOT NULL,
    data TEXT NOT NULL               -- JSON
) STRICT;
CREATE INDEX events_key ON events (key, seq);

-- The write-ahead of every commit step: at most one per key (of a goal: per unit) and generation.
CREATE TABLE intents (
    key TEXT NOT NULL,
    generation INTEGER NOT NULL,
    at TEXT NOT NULL,
    run TEXT NOT NULL,
    token INTEGER NOT NULL,          -- of the lease under which it was written
    state TEXT NOT NULL CHECK (state IN ('intended', 'sent', 'not_sent')),
    PRIMARY KEY (key, generation)
) STRICT;

-- Sign-in submissions, written down before the form is sent; one whose answer was never read counts.
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
CREATE INDEX sign_ins_day ON sign_ins (site, account, day);

-- Who works on a lane. The token rises with every taking-over.
CREATE TABLE leases (
    lane TEXT PRIMARY KEY,
    holder TEXT NOT NULL,            -- JSON: host, boot id, pid, start time
    token INTEGER NOT NULL,
    expires_at TEXT NOT NULL
) STRICT;

-- What waits for a person.
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
CREATE UNIQUE INDEX tickets_open ON tickets (site, account, kind, ifnull(task, '')) WHERE closed_at IS NULL;

-- A site that asked to wait: holds for every account of it.
CREATE TABLE waits (site TEXT PRIMARY KEY, until TEXT NOT NULL, kind TEXT NOT NULL, message TEXT NOT NULL) STRICT;

-- The answers to "run now?": a new row when the answer changes, else count and last time.
CREATE TABLE decisions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL,
    source TEXT NOT NULL,
    answer TEXT NOT NULL,
    first_at TEXT NOT NULL,
    last_at TEXT NOT NULL,
    count INTEGER NOT NULL
) STRICT;
CREATE INDEX decisions_key ON decisions (key, id);

-- One row per attempt.
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
CREATE INDEX attempts_key ON attempts (key, id);

-- Rows that a server showed (points), each new one once.
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
CREATE INDEX rows_day ON rows (day, site, account);

-- How the last points read-back of an account's day went.
CREATE TABLE points_reads (
    site TEXT NOT NULL,
    account TEXT NOT NULL,
    day TEXT NOT NULL,
    at TEXT NOT NULL,
    balance TEXT,
    incomplete TEXT,
    PRIMARY KEY (site, account, day)
) STRICT;

-- Reports and the mails that carry them.
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
