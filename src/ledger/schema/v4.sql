-- Version 4: a ticket that was closed may come again under its number, and how old a session is.

ALTER TABLE tickets ADD COLUMN arose TEXT;                       -- the task that met the block
ALTER TABLE tickets ADD COLUMN reopened INTEGER NOT NULL DEFAULT 0;  -- how often the same block came again
ALTER TABLE tickets ADD COLUMN passed_at TEXT;                   -- after its closing the task that met the block was done
UPDATE tickets SET passed_at = closed_at;
CREATE INDEX tickets_unpassed ON tickets (site, account, kind) WHERE closed_at IS NOT NULL AND passed_at IS NULL;

-- Who is signed in, as the site said last. A session that is over leaves no row.
CREATE TABLE sessions (
    site TEXT NOT NULL,
    account TEXT NOT NULL,
    since TEXT NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('runner', 'person', 'found')),
    lasts_until TEXT,                -- by the browser's cookies; NULL where they do not say
    PRIMARY KEY (site, account)
) STRICT;
