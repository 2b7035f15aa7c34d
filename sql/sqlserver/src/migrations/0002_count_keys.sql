-- Adds a column to the list of keys: the number of a key's occurrences in a group. With it, one batch can decide whether the whole group
-- may be stored.
DROP TYPE optiks.KeyList;
CREATE TYPE optiks.KeyList AS TABLE (Number int NOT NULL PRIMARY KEY, Structure tinyint NOT NULL, [Key] varbinary(255) NOT NULL, Occurrences int NOT NULL);
GO

-- The statement turns off lock escalation. A purge deletes thousands of rows. If the locks on these rows escalated to a lock on the table,
-- accepts would wait for the purge's commit.
IF SERVERPROPERTY(N'Babelfish') IS NULL EXEC (N'ALTER TABLE optiks.Request SET (LOCK_ESCALATION = DISABLE); ALTER TABLE optiks.Outcome SET (LOCK_ESCALATION = DISABLE)');
