-- Version 3: what a ledger of many years is asked every day, it finds without reading those years.

-- The keys that ended since the last report, and when that was.
CREATE INDEX keys_closed ON keys (closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX reports_rendered ON reports (rendered_at, date);

-- The mails that did not arrive; a row's state stands behind its bytes, which would all have to be read. And those of a date.
CREATE INDEX outbox_undelivered ON outbox (id) WHERE state <> 'sent';
CREATE INDEX outbox_date ON outbox (date, number);

-- The secrets that a site rejected.
CREATE INDEX tickets_rejected ON tickets (site, account) WHERE fingerprint IS NOT NULL;

-- The dead letters, and which of them a person has taken note of. One that was ordered to go on and died again counts anew.
CREATE INDEX keys_dead ON keys (closed_at) WHERE status = 'dead';
CREATE TABLE acknowledgements (
    key TEXT NOT NULL REFERENCES keys (key),
    at TEXT NOT NULL,
    by TEXT NOT NULL
) STRICT;
CREATE INDEX acknowledgements_key ON acknowledgements (key, at);

-- What was told by a mail of its own, beside the report, each once; an alarm that is over may come again.
CREATE TABLE notices (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('remind', 'alarm', 'dead', 'skip')),
    about TEXT NOT NULL,             -- the key and since when, or the alarm
    made_at TEXT NOT NULL,
    over_at TEXT
) STRICT;
CREATE UNIQUE INDEX notices_made ON notices (kind, about) WHERE over_at IS NULL;
