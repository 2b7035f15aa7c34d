-- The update-task reads and deletes hundreds of thousands of pending rows. Pending rows now contain the columns of their requests that the
-- update-task needs, so that it does not have to look up the requests.
ALTER TABLE optiks.Pending ADD RequestId binary(16) NULL;
ALTER TABLE optiks.Pending ADD BodyHash binary(32) NULL;
GO

UPDATE p SET RequestId = r.RequestId, BodyHash = r.BodyHash FROM optiks.Pending AS p JOIN optiks.Request AS r ON r.Seq = p.Seq;
-- This statement fails if a pending row has no request, because such a database is damaged. It adds a constraint, because Babelfish cannot
-- make an existing column NOT NULL.
ALTER TABLE optiks.Pending ADD CONSTRAINT CK_Pending_Request CHECK (RequestId IS NOT NULL AND BodyHash IS NOT NULL);
