-- For a period that is being destroyed: the period's epochs before destroyed_before no longer have values of devices
-- and keys.
ALTER TABLE period ADD COLUMN destroyed_before INTEGER;
