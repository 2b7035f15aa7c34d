-- For a period that is being destroyed: its epochs before this one no longer have values of devices and keys.
ALTER TABLE period ADD COLUMN destroyed_before bigint;
