-- Of the rows that a key has in a period the last one counts. The values of the others go when it is staged; here those of periods that were staged before.
DELETE FROM copy_value WHERE id IN (
  SELECT c.id FROM copy AS d CROSS JOIN copy AS c ON d.period = c.period AND d.structure = c.structure AND substr(d.label, 1, 4) = substr(c.label, 1, 4) AND d.label = c.label AND d.id > c.id);
