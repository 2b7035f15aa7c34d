-- This table has the operator's requests to begin a period (docs/operations/state.md), one row per period. A request is in force until its
-- period has begun.
CREATE TABLE switch_request (
  period INTEGER PRIMARY KEY CHECK (period > 0)
) STRICT;
