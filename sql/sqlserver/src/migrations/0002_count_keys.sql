-- How often a key stands in what is to be accepted: whether all of it may be stored is decided in one batch.
DROP TYPE optiks.KeyList;
CREATE TYPE optiks.KeyList AS TABLE (Number int NOT NULL PRIMARY KEY, Structure tinyint NOT NULL, [Key] varbinary(255) NOT NULL, Occurrences int NOT NULL);
GO

-- A purge deletes thousands of rows: were their locks escalated to the table's, accepts would wait for its commit.
IF SERVERPROPERTY(N'Babelfish') IS NULL EXEC (N'ALTER TABLE optiks.Request SET (LOCK_ESCALATION = DISABLE); ALTER TABLE optiks.Outcome SET (LOCK_ESCALATION = DISABLE)');
