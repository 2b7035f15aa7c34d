-- This table is the erasure sequence (docs/spec/erasure.md): it names the leaves whose values are gone, ordered by the epoch that decided
-- the erasure. Its rows stay forever, because a program or backup that has not yet seen a row may still have the value.
--   The column id is decided_in * 2^28 + number, and the column leaf is the id of the leaf.
CREATE TABLE erasure (
  id         INTEGER PRIMARY KEY,
  decided_in INTEGER GENERATED ALWAYS AS (id >> 28) VIRTUAL,
  number     INTEGER GENERATED ALWAYS AS (id & 268435455) VIRTUAL,
  epoch      INTEGER GENERATED ALWAYS AS (leaf >> 28) VIRTUAL,
  ordinal    INTEGER GENERATED ALWAYS AS (leaf & 268435455) VIRTUAL,
  leaf       INTEGER NOT NULL CHECK (leaf >> 28 < id >> 28),
  item       INTEGER NOT NULL CHECK (item BETWEEN 0 AND 255),
  request_id BLOB NOT NULL CHECK (length(request_id) = 16)
) STRICT;
