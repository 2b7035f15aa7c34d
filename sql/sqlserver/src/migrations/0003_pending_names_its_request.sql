-- The update-task reads and deletes hundreds of thousands of pending rows. Pending rows now contain the columns that
-- the update-task needs from their requests, so that it looks up no requests.
ALTER TABLE optiks.Pending ADD RequestId binary(16) NULL;
ALTER TABLE optiks.Pending ADD BodyHash binary(32) NULL;
GO

UPDATE p SET RequestId = r.RequestId, BodyHash = r.BodyHash FROM optiks.Pending AS p JOIN optiks.Request AS r ON r.Seq = p.Seq;
-- Fails if a pending row has no request, because such a database is damaged. A constraint is used because Babelfish
-- cannot make a column NOT NULL afterwards.
ALTER TABLE optiks.Pending ADD CONSTRAINT CK_Pending_Request CHECK (RequestId IS NOT NULL AND BodyHash IS NOT NULL);
