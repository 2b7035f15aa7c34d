-- The erasure sequence (docs/spec/erasure.md): the leaves whose values are gone, by the epoch that decided it. Rows
-- stay forever, because a copy of the value somewhere may always be older than its row.
CREATE TABLE erasure (
  decided_in bigint NOT NULL,
  epoch      bigint NOT NULL CHECK (epoch > 0 AND epoch < decided_in),
  request_id uuid NOT NULL,
  number     integer NOT NULL CHECK (number >= 0),
  ordinal    integer NOT NULL CHECK (ordinal >= 0),
  item       smallint NOT NULL CHECK (item BETWEEN 0 AND 255),
  CONSTRAINT pk_erasure PRIMARY KEY (decided_in, number)
);
