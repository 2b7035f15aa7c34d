-- The update-task reads and deletes pending rows by the hundred thousand: what it needs of their requests stands beside them, so that it looks up none.
ALTER TABLE pending
  ADD COLUMN request_id uuid,
  ADD COLUMN body_hash bytea CHECK (octet_length(body_hash) = 32);
UPDATE pending AS p SET request_id = r.request_id, body_hash = r.body_hash FROM request AS r WHERE r.seq = p.seq;
-- Fails if a pending row has no request: the database is damaged then.
ALTER TABLE pending
  ALTER COLUMN request_id SET NOT NULL,
  ALTER COLUMN body_hash SET NOT NULL;
