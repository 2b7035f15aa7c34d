-- Periods can now be prepared in advance, end, and be destroyed (docs/spec/periods.md section 10, docs/adr/0009).
-- The values of the column state are 1 next, 2 current, 3 ended, 4 destroying, 5 destroyed.
ALTER TABLE period
  ADD COLUMN state smallint NOT NULL DEFAULT 2,
  ADD COLUMN copies integer DEFAULT 0,  -- the number of rows of table copy that the period's first epoch took
  ALTER COLUMN first_epoch DROP NOT NULL;
-- This statement fails if a period has no secrets, because such a database is damaged.
ALTER TABLE period
  ALTER COLUMN state DROP DEFAULT,
  ALTER COLUMN copies DROP DEFAULT,
  ADD CONSTRAINT ck_period_state CHECK (state BETWEEN 1 AND 5),
  ADD CONSTRAINT ck_period_first CHECK ((first_epoch IS NULL) = (state = 1) AND (copies IS NULL) = (state = 1)),
  ADD CONSTRAINT ck_period_secrets CHECK (state = 4 OR (octet_length(wrapped_secrets) = 0) = (state = 5));
-- This index ensures that at most one period has the state next, and at most one the state current.
CREATE UNIQUE INDEX ix_period_state ON period (state) WHERE state IN (1, 2);

-- This table has the copies with which a period begins; the update-task stages them while the previous period is current. If a key has
-- several rows, the last one is in force; a row with version 0 removes the key's copy. The source of a copy is a leaf or, if source_epoch
-- is 0, a copy of the previous period.
CREATE TABLE copy (
  period         bigint NOT NULL CHECK (period > 0),
  version        bigint NOT NULL CHECK (version >= 0),
  source_epoch   bigint CHECK ((source_epoch IS NULL) = (version = 0) AND source_epoch >= 0),
  number         integer NOT NULL CHECK (number >= 0),
  source_ordinal integer CHECK ((source_ordinal IS NULL) = (source_epoch IS NULL) AND source_ordinal >= 0),
  structure      smallint NOT NULL CHECK (structure IN (2, 3)),
  label          bytea NOT NULL CHECK (octet_length(label) = 32),
  commitment     bytea NOT NULL CHECK (octet_length(commitment) = 32),
  tag            bytea NOT NULL CHECK (octet_length(tag) = 16),
  CONSTRAINT pk_copy PRIMARY KEY (period, number)
);
-- An erasure finds the copies of a value by this index. Copies are staged in the order of their sources, so new entries go to the index's
-- end.
CREATE INDEX ix_copy_source ON copy (source_epoch, source_ordinal);

-- This table has the values of copies. An erasure deletes its rows, as it deletes rows of table value.
CREATE TABLE copy_value (
  period  bigint NOT NULL,
  number  integer NOT NULL,
  opening bytea NOT NULL CHECK (octet_length(opening) = 16),
  key     bytea NOT NULL CHECK (octet_length(key) BETWEEN 1 AND 255),
  value   bytea NOT NULL,
  CONSTRAINT pk_copy_value PRIMARY KEY (period, number)
);
ALTER TABLE copy_value ALTER COLUMN value SET STORAGE EXTERNAL;

-- A row for an erased copy has the copy's period, epoch 0, and the copy's number as its ordinal.
ALTER TABLE erasure
  ADD COLUMN period bigint,
  DROP CONSTRAINT erasure_check,
  ADD CONSTRAINT ck_erasure_epoch CHECK (epoch < decided_in AND (epoch = 0) = (period IS NOT NULL) AND epoch >= 0);
