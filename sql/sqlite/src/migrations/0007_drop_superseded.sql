-- If a key has several rows in a period, only the last one is in force, and staging it now deletes the values of the earlier rows. This
-- migration deletes such values from rows that an older release staged.
DELETE FROM copy_value WHERE id IN (
  SELECT c.id FROM copy AS d CROSS JOIN copy AS c ON d.period = c.period AND d.structure = c.structure AND substr(d.label, 1, 4) = substr(c.label, 1, 4) AND d.label = c.label AND d.id > c.id);
