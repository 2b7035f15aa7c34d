-- Only the last row of a key in a period counts, and staging that row now deletes the values of the key's earlier rows.
-- This migration deletes such values of periods that were staged before.
DELETE v FROM optiks.CopyValue AS v JOIN optiks.[Copy] AS c ON c.Period = v.Period AND c.Number = v.Number
WHERE EXISTS (SELECT 1 FROM optiks.[Copy] AS d WHERE d.Period = c.Period AND d.Label = c.Label AND d.Structure = c.Structure AND d.Number > c.Number);
