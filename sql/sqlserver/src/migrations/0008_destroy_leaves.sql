-- For a period that is being destroyed: its epochs before this one no longer have values of devices and keys.
ALTER TABLE optiks.Period ADD DestroyedBefore bigint NULL;
