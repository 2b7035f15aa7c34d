-- The new column destroyed_before is for periods that are being destroyed: epochs of the period before this one no longer have values of
-- the structures devices and keys.
ALTER TABLE period ADD COLUMN destroyed_before INTEGER;
