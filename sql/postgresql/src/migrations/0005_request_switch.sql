-- This table has the operator's requests to begin a period (docs/operations/state.md), one row per period. A request is in force until its
-- period has begun.
CREATE TABLE switch_request (
  period bigint NOT NULL CHECK (period > 0),
  CONSTRAINT pk_switch_request PRIMARY KEY (period)
);
