-- The tables of the pipeline. Their primary keys are integers that pack two numbers: seq * 2^8 + item for a request's item, and epoch *
-- 2^28 + ordinal for a leaf. So each table is one b-tree to whose end rows are appended, without a second index and without inserts at
-- random places. Only table pending has an index by key. Table leaf has no unique index on labels or keys, because its random inserts would
-- halve the rate and multiply the log. The tree and the fence already ensure that labels and keys are unique.

CREATE TABLE request (
  -- Because of AUTOINCREMENT, the number of a purged request is never used again.
  seq        INTEGER PRIMARY KEY AUTOINCREMENT CHECK (seq > 0 AND seq < 1 << 54),
  request_id BLOB NOT NULL UNIQUE CHECK (length(request_id) = 16),  -- UUIDv7 in network order, which sorts by time
  body_hash  BLOB NOT NULL CHECK (length(body_hash) = 32)
) STRICT;

CREATE TABLE pending (
  id               INTEGER PRIMARY KEY,
  seq              INTEGER GENERATED ALWAYS AS (id >> 8) VIRTUAL,
  item             INTEGER GENERATED ALWAYS AS (id & 255) VIRTUAL,
  structure        INTEGER NOT NULL CHECK (structure BETWEEN 1 AND 4),
  expected_period  INTEGER,
  expected_version INTEGER CHECK ((expected_version IS NULL) = (expected_period IS NULL)),
  key              BLOB NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  value            BLOB NOT NULL
) STRICT;
CREATE INDEX ix_pending_key ON pending (structure, key);

CREATE TABLE outcome (
  id              INTEGER PRIMARY KEY,
  seq             INTEGER GENERATED ALWAYS AS (id >> 8) VIRTUAL,
  item            INTEGER GENERATED ALWAYS AS (id & 255) VIRTUAL,
  epoch           INTEGER NOT NULL,
  ordinal         INTEGER CHECK ((ordinal IS NULL) = (refusal IS NOT NULL)),
  refusal         INTEGER,
  refused_item    INTEGER CHECK ((refused_item IS NULL) = (refusal IS NULL)),
  current_period  INTEGER CHECK ((current_period IS NULL) = (refusal IS NULL)),
  current_version INTEGER CHECK ((current_version IS NULL) = (refusal IS NULL))
) STRICT;
-- After a crash, the update-task makes the bundle of an unpublished epoch again, and finds the epoch's refusals by this index. The index is
-- small, because refusals are rare.
CREATE INDEX ix_outcome_refused ON outcome (epoch) WHERE refusal IS NOT NULL;

CREATE TABLE leaf (
  id         INTEGER PRIMARY KEY,
  epoch      INTEGER GENERATED ALWAYS AS (id >> 28) VIRTUAL,
  ordinal    INTEGER GENERATED ALWAYS AS (id & 268435455) VIRTUAL,
  structure  INTEGER NOT NULL CHECK (structure BETWEEN 1 AND 4),
  period     INTEGER NOT NULL,
  version    INTEGER NOT NULL,
  item       INTEGER NOT NULL CHECK (item BETWEEN 0 AND 255),
  label      BLOB NOT NULL CHECK (length(label) = 32),
  commitment BLOB NOT NULL CHECK (length(commitment) = 32),
  tag        BLOB NOT NULL CHECK (length(tag) = 16),
  request_id BLOB NOT NULL CHECK (length(request_id) = 16)
) STRICT;

-- This table has the values of leaves. It is the only table in this script from which an erasure deletes rows.
CREATE TABLE value (
  id      INTEGER PRIMARY KEY,
  opening BLOB NOT NULL CHECK (length(opening) = 16),
  key     BLOB NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  value   BLOB NOT NULL
) STRICT;

CREATE TABLE epoch (
  epoch       INTEGER PRIMARY KEY CHECK (epoch >= 0 AND epoch < 1 << 35),
  leaves      INTEGER NOT NULL,  -- leaves and bytes of values that this epoch inserted: readers plan pages and detect missing rows
  value_bytes INTEGER NOT NULL,
  record_hash BLOB NOT NULL UNIQUE CHECK (length(record_hash) = 32),
  record      BLOB NOT NULL,
  checkpoint  BLOB
) STRICT;

CREATE TABLE period (
  period          INTEGER PRIMARY KEY,
  first_epoch     INTEGER NOT NULL,
  wrapped_secrets BLOB NOT NULL,
  configuration   BLOB NOT NULL
) STRICT;

CREATE TABLE head (
  one             INTEGER PRIMARY KEY CHECK (one = 1),
  epoch           INTEGER,
  published_epoch INTEGER CHECK (published_epoch IS NULL OR published_epoch = epoch OR published_epoch = epoch - 1),
  fence           INTEGER NOT NULL,
  lease_end       INTEGER NOT NULL,  -- Unix time, ms
  holder          TEXT NOT NULL,     -- empty when nobody holds the lease
  record_hash     BLOB NOT NULL CHECK ((epoch IS NULL AND length(record_hash) = 0) OR length(record_hash) = 32)
) STRICT;
INSERT INTO head (one, fence, lease_end, holder, record_hash) VALUES (1, 0, 0, '', x'');
