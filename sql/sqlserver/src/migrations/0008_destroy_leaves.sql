-- Of a period that is being destroyed: its epochs before this one have no values of devices and keys any more.
ALTER TABLE optiks.Period ADD DestroyedBefore bigint NULL;
