-- Adds the number of occurrences of a key in a group, so that one batch decides whether the whole group may be stored.
DROP TYPE optiks.KeyList;
CREATE TYPE optiks.KeyList AS TABLE (Number int NOT NULL PRIMARY KEY, Structure tinyint NOT NULL, [Key] varbinary(255) NOT NULL, Occurrences int NOT NULL);
GO

-- Turns off lock escalation. A purge deletes thousands of rows. If the locks of these rows escalated to a lock on the
-- table, accepts would wait for the purge's commit.
IF SERVERPROPERTY(N'Babelfish') IS NULL EXEC (N'ALTER TABLE optiks.Request SET (LOCK_ESCALATION = DISABLE); ALTER TABLE optiks.Outcome SET (LOCK_ESCALATION = DISABLE)');
