-- Version 2: the ledger's own name, and the moments at which lines of it turned out to be lost.

-- A copy keeps this name; the mark beside the browser profiles says which ledger worked there last.
INSERT INTO meta (name, value) VALUES ('id', lower(hex(randomblob(16))));

-- What was done on the sites before such a moment may be missing here.
CREATE TABLE losses (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    found_at TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('damaged', 'gone', 'older_copy', 'another')),
    known_to TEXT,                   -- the last time on record in what was left
    reason TEXT NOT NULL,            -- what was seen, in English
    kept TEXT                        -- the name of the file that was set aside
) STRICT;
