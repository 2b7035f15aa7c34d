-- The update-task reads and deletes hundreds of thousands of pending rows. Pending rows now contain the columns that
-- the update-task needs from their requests, so that it looks up no requests.
ALTER TABLE pending
  ADD COLUMN request_id uuid,
  ADD COLUMN body_hash bytea CHECK (octet_length(body_hash) = 32);
UPDATE pending AS p SET request_id = r.request_id, body_hash = r.body_hash FROM request AS r WHERE r.seq = p.seq;
-- Fails if a pending row has no request, because such a database is damaged.
ALTER TABLE pending
  ALTER COLUMN request_id SET NOT NULL,
  ALTER COLUMN body_hash SET NOT NULL;
