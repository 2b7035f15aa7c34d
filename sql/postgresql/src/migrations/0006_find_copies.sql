-- With this index, an erasure finds a copy by its label. The index has only the beginning of each label, which is enough because labels are
-- spread evenly, and takes half the space of an index with whole labels.
CREATE INDEX ix_copy_label ON copy (period, substring(label, 1, 4));
