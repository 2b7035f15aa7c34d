-- The operator's requests to begin a period (docs/operations/state.md): one row per period, which counts until the
-- period has begun.
CREATE TABLE switch_request (
  period bigint NOT NULL CHECK (period > 0),
  CONSTRAINT pk_switch_request PRIMARY KEY (period)
);
