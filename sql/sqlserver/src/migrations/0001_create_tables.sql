-- Rows are appended to every table in the order of its clustered key. Only Pending has an index by key. Table Leaf needs no such index,
-- because the tree and the fence already ensure that labels and keys are unique. An index on random bytes would touch a page for nearly
-- every row. The columns with names of holders and sessions have a binary collation, so that their comparison does not depend on the
-- database's collation.

CREATE TABLE optiks.Request (
  -- A request id is a UUIDv7 in network order, which sorts by time. The type uniqueidentifier would sort by the id's last bytes first,
  -- which are random.
  RequestId binary(16) NOT NULL CONSTRAINT PK_Request PRIMARY KEY CLUSTERED WITH (OPTIMIZE_FOR_SEQUENTIAL_KEY = ON),
  Seq       bigint     NOT NULL CONSTRAINT CK_Request_Seq CHECK (Seq > 0),
  BodyHash  binary(32) NOT NULL
);
-- This index includes the hash, because an epoch reads the ids and hashes of its requests by their numbers.
CREATE UNIQUE INDEX IX_Request_Seq ON optiks.Request (Seq) INCLUDE (BodyHash) WITH (OPTIMIZE_FOR_SEQUENTIAL_KEY = ON);

-- The only row of this table has the last assigned sequence number. A transaction that accepts requests increases this number first. The
-- row's lock then makes groups of requests decide and insert one after another, so that transactions commit in the order of their numbers.
-- The number of a purged request is never used again.
CREATE TABLE optiks.Acceptance (
  One     tinyint NOT NULL CONSTRAINT PK_Acceptance PRIMARY KEY CONSTRAINT CK_Acceptance_One CHECK (One = 1),
  LastSeq bigint  NOT NULL
);
INSERT INTO optiks.Acceptance (One, LastSeq) VALUES (1, 0);

CREATE TABLE optiks.Pending (
  Seq             bigint         NOT NULL,
  Item            tinyint        NOT NULL,
  Structure       tinyint        NOT NULL CONSTRAINT CK_Pending_Structure CHECK (Structure BETWEEN 1 AND 4),
  ExpectedPeriod  bigint         NULL,
  ExpectedVersion bigint         NULL,
  [Key]           varbinary(255) NOT NULL CONSTRAINT CK_Pending_Key CHECK (DATALENGTH([Key]) >= 1),
  [Value]         varbinary(max) NOT NULL,
  CONSTRAINT PK_Pending PRIMARY KEY CLUSTERED (Seq, Item) WITH (OPTIMIZE_FOR_SEQUENTIAL_KEY = ON),
  CONSTRAINT CK_Pending_Expected CHECK ((ExpectedPeriod IS NULL AND ExpectedVersion IS NULL) OR (ExpectedPeriod IS NOT NULL AND ExpectedVersion IS NOT NULL))
);
CREATE INDEX IX_Pending_Key ON optiks.Pending (Structure, [Key]);

CREATE TABLE optiks.Outcome (
  Seq            bigint  NOT NULL,
  Item           tinyint NOT NULL,
  Epoch          bigint  NOT NULL,
  Ordinal        int     NULL,
  Refusal        tinyint NULL,
  RefusedItem    tinyint NULL,
  CurrentPeriod  bigint  NULL,
  CurrentVersion bigint  NULL,
  CONSTRAINT PK_Outcome PRIMARY KEY CLUSTERED (Seq, Item) WITH (OPTIMIZE_FOR_SEQUENTIAL_KEY = ON),
  CONSTRAINT CK_Outcome_Kind CHECK (
    (Ordinal IS NOT NULL AND Refusal IS NULL AND RefusedItem IS NULL AND CurrentPeriod IS NULL AND CurrentVersion IS NULL)
    OR (Ordinal IS NULL AND Refusal IS NOT NULL AND RefusedItem IS NOT NULL AND CurrentPeriod IS NOT NULL AND CurrentVersion IS NOT NULL))
);
-- After a crash, the update-task makes the bundle of an unpublished epoch again, and finds the epoch's refusals by this index. The index is
-- small, because refusals are rare.
CREATE INDEX IX_Outcome_Refused ON optiks.Outcome (Epoch) WHERE Refusal IS NOT NULL;

CREATE TABLE optiks.Leaf (
  Epoch      bigint     NOT NULL CONSTRAINT CK_Leaf_Epoch CHECK (Epoch > 0),
  Ordinal    int        NOT NULL CONSTRAINT CK_Leaf_Ordinal CHECK (Ordinal >= 0),
  Structure  tinyint    NOT NULL CONSTRAINT CK_Leaf_Structure CHECK (Structure BETWEEN 1 AND 4),
  Period     bigint     NOT NULL,
  Version    bigint     NOT NULL,
  Label      binary(32) NOT NULL,
  Commitment binary(32) NOT NULL,
  Tag        binary(16) NOT NULL,
  RequestId  binary(16) NOT NULL,
  Item       tinyint    NOT NULL,
  CONSTRAINT PK_Leaf PRIMARY KEY CLUSTERED (Epoch, Ordinal) WITH (OPTIMIZE_FOR_SEQUENTIAL_KEY = ON)
);

-- This table has the values of leaves. It is the only table in this script from which an erasure deletes rows.
CREATE TABLE optiks.[Value] (
  Epoch   bigint         NOT NULL,
  Ordinal int            NOT NULL,
  Opening binary(16)     NOT NULL,
  [Key]   varbinary(255) NOT NULL CONSTRAINT CK_Value_Key CHECK (DATALENGTH([Key]) >= 1),
  [Value] varbinary(max) NOT NULL,
  CONSTRAINT PK_Value PRIMARY KEY CLUSTERED (Epoch, Ordinal) WITH (OPTIMIZE_FOR_SEQUENTIAL_KEY = ON)
);

CREATE TABLE optiks.Epoch (
  Epoch        bigint          NOT NULL CONSTRAINT PK_Epoch PRIMARY KEY CLUSTERED CONSTRAINT CK_Epoch_Epoch CHECK (Epoch >= 0),
  Leaves       bigint          NOT NULL,  -- leaves and bytes of values that this epoch inserted: readers plan pages and detect missing rows
  ValueBytes   bigint          NOT NULL,
  RecordHash   binary(32)      NOT NULL CONSTRAINT IX_Epoch_RecordHash UNIQUE,
  Record       varbinary(1000) NOT NULL,
  [Checkpoint] varbinary(max)  NULL
);

CREATE TABLE optiks.Period (
  Period         bigint         NOT NULL CONSTRAINT PK_Period PRIMARY KEY CLUSTERED,
  FirstEpoch     bigint         NOT NULL,
  WrappedSecrets varbinary(max) NOT NULL,
  Configuration  varbinary(max) NOT NULL
);

CREATE TABLE optiks.Head (
  One            tinyint       NOT NULL CONSTRAINT PK_Head PRIMARY KEY CONSTRAINT CK_Head_One CHECK (One = 1),
  Epoch          bigint        NULL,
  PublishedEpoch bigint        NULL,
  Fence          bigint        NOT NULL,
  LeaseEnd       datetime2(6)  NOT NULL,
  Holder         nvarchar(256) COLLATE Latin1_General_BIN2 NOT NULL,  -- empty when nobody holds the lease
  Session        nvarchar(128) COLLATE Latin1_General_BIN2 NOT NULL,  -- program_name of the holder's connections, which a successor ends
  RecordHash     varbinary(32) NOT NULL,
  CONSTRAINT CK_Head_Published CHECK (PublishedEpoch IS NULL OR PublishedEpoch = Epoch OR PublishedEpoch = Epoch - 1),
  CONSTRAINT CK_Head_Hash CHECK ((Epoch IS NULL AND DATALENGTH(RecordHash) = 0) OR DATALENGTH(RecordHash) = 32)
);
INSERT INTO optiks.Head (One, Fence, LeaseEnd, Holder, Session, RecordHash) VALUES (1, 0, '1970-01-01', N'', N'', 0x);

-- These types are for lists that the driver passes as one parameter. None of their columns may be null, for the reason in Lists.cs.
CREATE TYPE optiks.SequenceList AS TABLE (Seq bigint NOT NULL PRIMARY KEY);
CREATE TYPE optiks.RequestIdList AS TABLE (RequestId binary(16) NOT NULL PRIMARY KEY);
CREATE TYPE optiks.KeyList AS TABLE (Number int NOT NULL PRIMARY KEY, Structure tinyint NOT NULL, [Key] varbinary(255) NOT NULL);
CREATE TYPE optiks.RequestList AS TABLE (Seq bigint NOT NULL PRIMARY KEY, RequestId binary(16) NOT NULL, BodyHash binary(32) NOT NULL);
CREATE TYPE optiks.PendingList AS TABLE (
  Seq bigint NOT NULL, Item tinyint NOT NULL, Structure tinyint NOT NULL, ExpectedPeriod bigint NOT NULL, ExpectedVersion bigint NOT NULL,
  [Key] varbinary(255) NOT NULL, [Value] varbinary(max) NOT NULL, PRIMARY KEY (Seq, Item)
);
CREATE TYPE optiks.DecidedList AS TABLE (Seq bigint NOT NULL, Item tinyint NOT NULL, RequestId binary(16) NOT NULL, PRIMARY KEY (Seq, Item));
GO

-- The statement turns off lock escalation. An epoch deletes hundreds of thousands of rows by their keys. If the locks on these rows
-- escalated to a lock on the table, accepts would wait for the epoch's commit. Babelfish has no lock escalation.
IF SERVERPROPERTY(N'Babelfish') IS NULL EXEC (N'ALTER TABLE optiks.Pending SET (LOCK_ESCALATION = DISABLE)');
