-- This table has the operator's requests to begin a period (docs/operations/state.md), one row per period. A request is in force until its
-- period has begun.
CREATE TABLE optiks.SwitchRequest (
  Period bigint NOT NULL CONSTRAINT PK_SwitchRequest PRIMARY KEY CLUSTERED CONSTRAINT CK_SwitchRequest_Period CHECK (Period > 0)
);
