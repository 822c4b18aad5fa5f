/** Raise it with every change of the tables. A log with a higher number was written by a newer Tributary. */
export const LOG_VERSION = 4;
/** What to do about a damaged log. */
export const LOG_REMEDY = 'Restore a backup.';

/**
 * `log.db`. The rowid is the position: assigned by the one writer and never reused, because the last event of an event stream is never deleted.
 * `data` is the last column, so that scans for other columns do not read it. `recorded_at`: milliseconds of the store's own clock.
 *
 * `topics` holds small topics in the form of their files, so that one commit covers bytes and events. `filler`, a page of zeroes, takes the part of a
 * row that lies in a page of the tree (sqlite.org/fileformat2.html, "Cell Payload Overflow Pages"), which SQLite copies when it rebalances pages:
 * without it, copies of deleted bytes stayed in the file. `segment` lies in overflow pages, which are overwritten when they are freed.
 */
export const LOG_TABLES = `
  CREATE TABLE IF NOT EXISTS events (
    position     INTEGER PRIMARY KEY,
    event_stream TEXT    NOT NULL,
    revision     INTEGER NOT NULL,
    recorded_at  INTEGER NOT NULL,
    id           TEXT    NOT NULL,
    type         TEXT    NOT NULL,
    metadata     TEXT    NOT NULL,
    data         TEXT    NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS events_by_stream ON events (event_stream, revision);
  CREATE TABLE IF NOT EXISTS retention (
    event_stream TEXT    PRIMARY KEY,
    max_age_ms   INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS topics (
    topic   TEXT NOT NULL PRIMARY KEY,
    filler  BLOB NOT NULL,
    segment BLOB NOT NULL
  ) STRICT;
`;

/** Of new logs: small topics take fewer writes than with 4 KiB, and single events hardly larger ones. A log of an earlier version keeps its 4 KiB. */
export const PAGE_SIZE = 8_192;

/**
 * FULL: a commit is synced before it is answered. Deleted topics are overwritten, since an erased subject's bytes must not stay in a free page. The
 * cache holds a large commit: otherwise SQLite writes some of its pages twice.
 */
export const WRITER_PRAGMAS = `
  PRAGMA page_size = ${PAGE_SIZE};
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA journal_size_limit = 16777216;
  PRAGMA secure_delete = ON;
  PRAGMA cache_size = -16384;
`;

export const storeTopic = (pageSize: number): string => `INSERT INTO topics VALUES (?, zeroblob(${pageSize}), ?)`;
export const DROP_TOPIC = 'DELETE FROM topics WHERE topic = ?';
export const INSERT_EVENT = 'INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)';
