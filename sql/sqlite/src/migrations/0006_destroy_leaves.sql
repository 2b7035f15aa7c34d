-- Of a period that is being destroyed: its epochs before this one have no values of devices and keys any more.
ALTER TABLE period ADD COLUMN destroyed_before INTEGER;
