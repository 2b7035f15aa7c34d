-- The erasure sequence (docs/spec/erasure.md): which leaves' values are gone, by the epoch that decided it. A row stays for good, as any copy of a value may be older than it.
CREATE TABLE erasure (
  decided_in bigint NOT NULL,
  epoch      bigint NOT NULL CHECK (epoch > 0 AND epoch < decided_in),
  request_id uuid NOT NULL,
  number     integer NOT NULL CHECK (number >= 0),
  ordinal    integer NOT NULL CHECK (ordinal >= 0),
  item       smallint NOT NULL CHECK (item BETWEEN 0 AND 255),
  CONSTRAINT pk_erasure PRIMARY KEY (decided_in, number)
);
