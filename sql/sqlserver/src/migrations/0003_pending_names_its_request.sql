-- The update-task reads and deletes pending rows by the hundred thousand: what it needs of their requests stands beside them, so that it looks up none.
ALTER TABLE optiks.Pending ADD RequestId binary(16) NULL;
ALTER TABLE optiks.Pending ADD BodyHash binary(32) NULL;
GO

UPDATE p SET RequestId = r.RequestId, BodyHash = r.BodyHash FROM optiks.Pending AS p JOIN optiks.Request AS r ON r.Seq = p.Seq;
-- Fails if a pending row has no request: the database is damaged then. A constraint, as Babelfish cannot make a column NOT NULL afterwards.
ALTER TABLE optiks.Pending ADD CONSTRAINT CK_Pending_Request CHECK (RequestId IS NOT NULL AND BodyHash IS NOT NULL);
