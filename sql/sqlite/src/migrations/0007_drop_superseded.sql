-- Only the last row of a key in a period counts, and staging that row now deletes the values of the key's earlier rows.
-- This migration deletes such values of periods that were staged before.
DELETE FROM copy_value WHERE id IN (
  SELECT c.id FROM copy AS d CROSS JOIN copy AS c ON d.period = c.period AND d.structure = c.structure AND substr(d.label, 1, 4) = substr(c.label, 1, 4) AND d.label = c.label AND d.id > c.id);
