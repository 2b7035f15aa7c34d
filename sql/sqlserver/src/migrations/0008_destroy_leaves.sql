-- For a period that is being destroyed: the period's epochs before DestroyedBefore no longer have values of devices and
-- keys.
ALTER TABLE optiks.Period ADD DestroyedBefore bigint NULL;
