-- Periods can now be prepared in advance, end, and be destroyed (docs/spec/periods.md section 10, docs/adr/0009).
-- The values of the column state are 1 next, 2 current, 3 ended, 4 destroying, 5 destroyed.
ALTER TABLE period RENAME TO earlier_period;
CREATE TABLE period (
  period          INTEGER PRIMARY KEY,
  state           INTEGER NOT NULL CHECK (state BETWEEN 1 AND 5),
  first_epoch     INTEGER CHECK ((first_epoch IS NULL) = (state = 1)),
  copies          INTEGER CHECK ((copies IS NULL) = (state = 1)),  -- the number of rows of table copy that the period's first epoch took
  wrapped_secrets BLOB NOT NULL CHECK (state = 4 OR (length(wrapped_secrets) = 0) = (state = 5)),
  configuration   BLOB NOT NULL
) STRICT;
-- This statement fails if a period has no secrets, because such a database is damaged.
INSERT INTO period (period, state, first_epoch, copies, wrapped_secrets, configuration) SELECT period, 2, first_epoch, 0, wrapped_secrets, configuration FROM earlier_period;
DROP TABLE earlier_period;
-- This index ensures that at most one period has the state next, and at most one the state current.
CREATE UNIQUE INDEX ix_period_state ON period (state) WHERE state IN (1, 2);

-- This table has the copies with which a period begins; the update-task stages them while the previous period is current. If a key has
-- several rows, the last one is in force; a row with version 0 removes the key's copy. The source of a copy is a leaf or, if source_epoch
-- is 0, a copy of the previous period.
--   The column id is period * 2^31 + number.
CREATE TABLE copy (
  id             INTEGER PRIMARY KEY CHECK (id >= 1 << 31),
  period         INTEGER GENERATED ALWAYS AS (id >> 31) VIRTUAL,
  number         INTEGER GENERATED ALWAYS AS (id & 2147483647) VIRTUAL,
  structure      INTEGER NOT NULL CHECK (structure IN (2, 3)),
  version        INTEGER NOT NULL CHECK (version >= 0),
  source_epoch   INTEGER CHECK ((source_epoch IS NULL) = (version = 0) AND source_epoch >= 0),
  source_ordinal INTEGER CHECK ((source_ordinal IS NULL) = (source_epoch IS NULL) AND source_ordinal >= 0),
  label          BLOB NOT NULL CHECK (length(label) = 32),
  commitment     BLOB NOT NULL CHECK (length(commitment) = 32),
  tag            BLOB NOT NULL CHECK (length(tag) = 16)
) STRICT;
-- An erasure finds the copies of a value by this index. Copies are staged in the order of their sources, so new entries go to the index's
-- end.
CREATE INDEX ix_copy_source ON copy (source_epoch, source_ordinal);

-- This table has the values of copies. An erasure deletes its rows, as it deletes rows of table value.
CREATE TABLE copy_value (
  id      INTEGER PRIMARY KEY,
  opening BLOB NOT NULL CHECK (length(opening) = 16),
  key     BLOB NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  value   BLOB NOT NULL
) STRICT;

-- A row for an erased copy has the copy's period, and its column leaf has the copy's id.
ALTER TABLE erasure RENAME TO earlier_erasure;
CREATE TABLE erasure (
  id         INTEGER PRIMARY KEY,
  decided_in INTEGER GENERATED ALWAYS AS (id >> 28) VIRTUAL,
  number     INTEGER GENERATED ALWAYS AS (id & 268435455) VIRTUAL,
  epoch      INTEGER GENERATED ALWAYS AS (CASE WHEN period IS NULL THEN leaf >> 28 ELSE 0 END) VIRTUAL,
  ordinal    INTEGER GENERATED ALWAYS AS (CASE WHEN period IS NULL THEN leaf & 268435455 ELSE leaf & 2147483647 END) VIRTUAL,
  period     INTEGER CHECK (period > 0 AND period = leaf >> 31),
  leaf       INTEGER NOT NULL CHECK (period IS NOT NULL OR leaf >> 28 < id >> 28),
  item       INTEGER NOT NULL CHECK (item BETWEEN 0 AND 255),
  request_id BLOB NOT NULL CHECK (length(request_id) = 16)
) STRICT;
INSERT INTO erasure (id, leaf, item, request_id) SELECT id, leaf, item, request_id FROM earlier_erasure;
DROP TABLE earlier_erasure;
