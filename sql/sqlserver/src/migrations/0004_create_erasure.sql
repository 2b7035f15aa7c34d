-- This table is the erasure sequence (docs/spec/erasure.md): it names the leaves whose values are gone, ordered by the epoch that decided
-- the erasure. Its rows stay forever, because a program or backup that has not yet seen a row may still have the value.
CREATE TABLE optiks.Erasure (
  DecidedIn bigint     NOT NULL,
  Number    int        NOT NULL CONSTRAINT CK_Erasure_Number CHECK (Number >= 0),
  Epoch     bigint     NOT NULL,
  Ordinal   int        NOT NULL CONSTRAINT CK_Erasure_Ordinal CHECK (Ordinal >= 0),
  RequestId binary(16) NOT NULL,
  Item      tinyint    NOT NULL,
  CONSTRAINT PK_Erasure PRIMARY KEY CLUSTERED (DecidedIn, Number) WITH (OPTIMIZE_FOR_SEQUENTIAL_KEY = ON),
  CONSTRAINT CK_Erasure_Epoch CHECK (Epoch > 0 AND Epoch < DecidedIn)
);
