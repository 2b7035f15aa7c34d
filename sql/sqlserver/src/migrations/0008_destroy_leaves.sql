-- The new column DestroyedBefore is for periods that are being destroyed: epochs of the period before this one no longer have values of the
-- structures devices and keys.
ALTER TABLE optiks.Period ADD DestroyedBefore bigint NULL;
