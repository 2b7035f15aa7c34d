-- If a key has several rows in a period, only the last one is in force, and staging it now deletes the values of the earlier rows. This
-- migration deletes such values from rows that an older release staged.
DELETE v FROM optiks.CopyValue AS v JOIN optiks.[Copy] AS c ON c.Period = v.Period AND c.Number = v.Number
WHERE EXISTS (SELECT 1 FROM optiks.[Copy] AS d WHERE d.Period = c.Period AND d.Label = c.Label AND d.Structure = c.Structure AND d.Number > c.Number);
