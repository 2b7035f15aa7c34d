-- Who erases a copy finds it by its label.
CREATE INDEX IX_Copy_Label ON optiks.[Copy] (Period, Label);
