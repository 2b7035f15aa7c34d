-- This script runs at the end of every migration, and running it again is safe. With its roles, the database enforces which program may
-- write which tables. An operator makes each service's user a member of one role: ALTER ROLE optiks_update ADD MEMBER
-- the_user_of_the_update_service.
IF DATABASE_PRINCIPAL_ID(N'optiks_update') IS NULL CREATE ROLE optiks_update;
IF DATABASE_PRINCIPAL_ID(N'optiks_task') IS NULL CREATE ROLE optiks_task;
IF DATABASE_PRINCIPAL_ID(N'optiks_query') IS NULL CREATE ROLE optiks_query;
GO

GRANT SELECT ON optiks.Migration TO optiks_update, optiks_task, optiks_query;
GRANT SELECT ON optiks.Head TO optiks_update, optiks_task, optiks_query;
GRANT SELECT ON optiks.Epoch TO optiks_update, optiks_task, optiks_query;

-- The role optiks_update may read only the columns of leaves and values that a request's status needs. They include neither values nor
-- openings.
GRANT SELECT, INSERT ON optiks.Request TO optiks_update;
GRANT SELECT, INSERT ON optiks.Pending TO optiks_update;
GRANT SELECT, UPDATE ON optiks.Acceptance TO optiks_update;
GRANT SELECT ON optiks.Outcome TO optiks_update;
GRANT SELECT ON optiks.Erasure TO optiks_update;
GRANT SELECT ON optiks.Leaf (Epoch, Ordinal, Structure, Period, Version) TO optiks_update;
GRANT SELECT ON optiks.[Value] (Epoch, Ordinal, [Key]) TO optiks_update;
GRANT SELECT ON optiks.[Copy] (Period, Number, Structure, Label) TO optiks_update;
GRANT SELECT ON optiks.Period (Period, FirstEpoch) TO optiks_update;

GRANT SELECT, DELETE ON optiks.Request TO optiks_task;
GRANT SELECT, DELETE ON optiks.Pending TO optiks_task;
GRANT SELECT, INSERT, DELETE ON optiks.Outcome TO optiks_task;
GRANT SELECT, INSERT ON optiks.Leaf TO optiks_task;
GRANT SELECT, INSERT, DELETE ON optiks.[Value] TO optiks_task;
GRANT SELECT, INSERT ON optiks.Erasure TO optiks_task;
GRANT SELECT, INSERT ON optiks.Period TO optiks_task;
GRANT UPDATE ON optiks.Period (State, FirstEpoch, Copies, WrappedSecrets, DestroyedBefore) TO optiks_task;
GRANT SELECT, INSERT ON optiks.[Copy] TO optiks_task;
GRANT SELECT, INSERT, DELETE ON optiks.CopyValue TO optiks_task;
GRANT SELECT ON optiks.SwitchRequest TO optiks_task;
GRANT INSERT ON optiks.Epoch TO optiks_task;
GRANT UPDATE ON optiks.Epoch ([Checkpoint]) TO optiks_task;
GRANT UPDATE ON optiks.Head (Epoch, PublishedEpoch, Fence, LeaseEnd, Holder, Session, RecordHash) TO optiks_task;

GRANT SELECT ON optiks.Leaf TO optiks_query;
GRANT SELECT ON optiks.[Value] TO optiks_query;
GRANT SELECT ON optiks.Erasure TO optiks_query;
GRANT SELECT ON optiks.Period TO optiks_query;
GRANT SELECT ON optiks.[Copy] TO optiks_query;
GRANT SELECT ON optiks.CopyValue TO optiks_query;
GO

-- Babelfish cannot grant rights on types. On Babelfish, this script instead grants rights on the table that the server creates for each
-- type.
IF SERVERPROPERTY(N'Babelfish') IS NULL EXEC (N'
  GRANT EXECUTE ON TYPE::optiks.SequenceList TO optiks_task;
  GRANT EXECUTE ON TYPE::optiks.DecidedList TO optiks_task;
  GRANT EXECUTE ON TYPE::optiks.KeyList TO optiks_update;
  GRANT EXECUTE ON TYPE::optiks.RequestList TO optiks_update;
  GRANT EXECUTE ON TYPE::optiks.PendingList TO optiks_update;
');
ELSE EXEC (N'
  GRANT SELECT ON optiks.SequenceList TO optiks_task;
  GRANT SELECT ON optiks.DecidedList TO optiks_task;
  GRANT SELECT ON optiks.KeyList TO optiks_update;
  GRANT SELECT ON optiks.RequestList TO optiks_update;
  GRANT SELECT ON optiks.PendingList TO optiks_update;
');
