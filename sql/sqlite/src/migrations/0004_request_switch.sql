-- The operator's requests to begin a period (docs/operations/state.md): one row per period, which counts until the
-- period has begun.
CREATE TABLE switch_request (
  period INTEGER PRIMARY KEY CHECK (period > 0)
) STRICT;
