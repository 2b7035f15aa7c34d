-- With this index, an erasure finds a copy by its label.
CREATE INDEX IX_Copy_Label ON optiks.[Copy] (Period, Label);
