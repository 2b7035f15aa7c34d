-- Periods can now be prepared in advance, end, and be destroyed (docs/spec/periods.md section 10, docs/adr/0009).
-- The values of the column State are 1 next, 2 current, 3 ended, 4 destroying, 5 destroyed. The migration creates the table again, because
-- Babelfish cannot make an existing column nullable.
CREATE TABLE #Period (Period bigint NOT NULL, FirstEpoch bigint NOT NULL, WrappedSecrets varbinary(max) NOT NULL, Configuration varbinary(max) NOT NULL);
INSERT INTO #Period (Period, FirstEpoch, WrappedSecrets, Configuration) SELECT Period, FirstEpoch, WrappedSecrets, Configuration FROM optiks.Period;
DROP TABLE optiks.Period;
GO

CREATE TABLE optiks.Period (
  Period         bigint         NOT NULL CONSTRAINT PK_Period PRIMARY KEY CLUSTERED,
  State          tinyint        NOT NULL CONSTRAINT CK_Period_State CHECK (State BETWEEN 1 AND 5),
  FirstEpoch     bigint         NULL,
  Copies         int            NULL,  -- the number of rows of table Copy that the period's first epoch took
  WrappedSecrets varbinary(max) NOT NULL,
  Configuration  varbinary(max) NOT NULL,
  CONSTRAINT CK_Period_First CHECK ((State = 1 AND FirstEpoch IS NULL AND Copies IS NULL) OR (State > 1 AND FirstEpoch IS NOT NULL AND Copies IS NOT NULL)),
  CONSTRAINT CK_Period_Secrets CHECK (State = 4 OR (State = 5 AND DATALENGTH(WrappedSecrets) = 0) OR (State < 4 AND DATALENGTH(WrappedSecrets) > 0))
);
-- This statement fails if a period has no secrets, because such a database is damaged.
INSERT INTO optiks.Period (Period, State, FirstEpoch, Copies, WrappedSecrets, Configuration) SELECT Period, 2, FirstEpoch, 0, WrappedSecrets, Configuration FROM #Period;
DROP TABLE #Period;
GO

-- This index ensures that at most one period has the state next, and at most one the state current.
CREATE UNIQUE INDEX IX_Period_State ON optiks.Period (State) WHERE State < 3;

-- This table has the copies with which a period begins; the update-task stages them while the previous period is current. If a key has
-- several rows, the last one is in force; a row with version 0 removes the key's copy. The source of a copy is a leaf or, if SourceEpoch is
-- 0, a copy of the previous period.
CREATE TABLE optiks.[Copy] (
  Period        bigint     NOT NULL CONSTRAINT CK_Copy_Period CHECK (Period > 0),
  Number        int        NOT NULL CONSTRAINT CK_Copy_Number CHECK (Number >= 0),
  Structure     tinyint    NOT NULL CONSTRAINT CK_Copy_Structure CHECK (Structure IN (2, 3)),
  Version       bigint     NOT NULL,
  SourceEpoch   bigint     NULL,
  SourceOrdinal int        NULL,
  Label         binary(32) NOT NULL,
  Commitment    binary(32) NOT NULL,
  Tag           binary(16) NOT NULL,
  CONSTRAINT PK_Copy PRIMARY KEY CLUSTERED (Period, Number) WITH (OPTIMIZE_FOR_SEQUENTIAL_KEY = ON),
  CONSTRAINT CK_Copy_Source CHECK ((Version = 0 AND SourceEpoch IS NULL AND SourceOrdinal IS NULL) OR (Version > 0 AND SourceEpoch IS NOT NULL AND SourceEpoch >= 0 AND SourceOrdinal IS NOT NULL AND SourceOrdinal >= 0))
);
-- An erasure finds the copies of a value by this index. Copies are staged in the order of their sources, so new entries go to the index's
-- end.
CREATE INDEX IX_Copy_Source ON optiks.[Copy] (SourceEpoch, SourceOrdinal) WITH (OPTIMIZE_FOR_SEQUENTIAL_KEY = ON);

-- This table has the values of copies. An erasure deletes its rows, as it deletes rows of table Value.
CREATE TABLE optiks.CopyValue (
  Period  bigint         NOT NULL,
  Number  int            NOT NULL,
  Opening binary(16)     NOT NULL,
  [Key]   varbinary(255) NOT NULL CONSTRAINT CK_CopyValue_Key CHECK (DATALENGTH([Key]) >= 1),
  [Value] varbinary(max) NOT NULL,
  CONSTRAINT PK_CopyValue PRIMARY KEY CLUSTERED (Period, Number) WITH (OPTIMIZE_FOR_SEQUENTIAL_KEY = ON)
);

-- A row for an erased copy has the copy's period, epoch 0, and the copy's number as its ordinal.
ALTER TABLE optiks.Erasure DROP CONSTRAINT CK_Erasure_Epoch;
ALTER TABLE optiks.Erasure ADD Period bigint NULL;
GO

ALTER TABLE optiks.Erasure ADD CONSTRAINT CK_Erasure_Leaf CHECK ((Period IS NULL AND Epoch > 0 AND Epoch < DecidedIn) OR (Period IS NOT NULL AND Period > 0 AND Epoch = 0));
