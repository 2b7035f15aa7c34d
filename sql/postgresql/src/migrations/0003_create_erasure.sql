-- This table is the erasure sequence (docs/spec/erasure.md): it names the leaves whose values are gone, ordered by the epoch that decided
-- the erasure. Its rows stay forever, because a program or backup that has not yet seen a row may still have the value.
CREATE TABLE erasure (
  decided_in bigint NOT NULL,
  epoch      bigint NOT NULL CHECK (epoch > 0 AND epoch < decided_in),
  request_id uuid NOT NULL,
  number     integer NOT NULL CHECK (number >= 0),
  ordinal    integer NOT NULL CHECK (ordinal >= 0),
  item       smallint NOT NULL CHECK (item BETWEEN 0 AND 255),
  CONSTRAINT pk_erasure PRIMARY KEY (decided_in, number)
);
