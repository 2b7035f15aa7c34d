-- The operator asks for a period's beginning (docs/operations/state.md): one row a period, which counts until the period has begun.
CREATE TABLE switch_request (
  period INTEGER PRIMARY KEY CHECK (period > 0)
) STRICT;
