-- The update-task reads and deletes hundreds of thousands of pending rows. Pending rows now contain the columns of their requests that the
-- update-task needs, so that it does not have to look up the requests.
ALTER TABLE pending
  ADD COLUMN request_id uuid,
  ADD COLUMN body_hash bytea CHECK (octet_length(body_hash) = 32);
UPDATE pending AS p SET request_id = r.request_id, body_hash = r.body_hash FROM request AS r WHERE r.seq = p.seq;
-- This statement fails if a pending row has no request, because such a database is damaged.
ALTER TABLE pending
  ALTER COLUMN request_id SET NOT NULL,
  ALTER COLUMN body_hash SET NOT NULL;
