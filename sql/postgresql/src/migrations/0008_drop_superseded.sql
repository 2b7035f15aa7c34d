-- If a key has several rows in a period, only the last one is in force, and staging it now deletes the values of the earlier rows. This
-- migration deletes such values from rows that an older release staged.
DELETE FROM copy_value AS v USING copy AS c JOIN copy AS d ON d.period = c.period AND d.structure = c.structure AND d.label = c.label AND d.number > c.number
WHERE v.period = c.period AND v.number = c.number;
-- ANALYZE stores samples of a column's contents, which would remain after an erasure, so it must not sample these columns.
ALTER TABLE value ALTER COLUMN opening SET STATISTICS 0, ALTER COLUMN key SET STATISTICS 0, ALTER COLUMN value SET STATISTICS 0;
ALTER TABLE copy_value ALTER COLUMN opening SET STATISTICS 0, ALTER COLUMN key SET STATISTICS 0, ALTER COLUMN value SET STATISTICS 0;
ALTER TABLE pending ALTER COLUMN value SET STATISTICS 0;
