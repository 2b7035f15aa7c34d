-- This script runs at the end of every migration, and running it again is safe. With its roles, the database enforces which program may
-- write which tables. An operator grants one role to each service's user: GRANT optiks_update TO the_user_of_the_update_service. If the
-- migrating user may not create roles, the script creates no roles. An administrator then creates them (CREATE ROLE optiks_update NOLOGIN,
-- and so on) and runs migrate once more.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['optiks_update', 'optiks_task', 'optiks_query'] LOOP
    BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
        EXECUTE format('CREATE ROLE %I NOLOGIN', name);
      END IF;
    EXCEPTION
      WHEN insufficient_privilege THEN
        CONTINUE;
      -- Roles belong to the whole server, so a migration of another database may have created this role since the check above.
      WHEN duplicate_object OR unique_violation THEN
        NULL;
    END;
    EXECUTE format('GRANT USAGE ON SCHEMA optiks TO %I', name);
    EXECUTE format('GRANT SELECT ON migration, head, epoch TO %I', name);
    CASE name
      WHEN 'optiks_update' THEN
        -- The role optiks_update may read only the columns of leaves and values that a request's status needs. They include neither values
        -- nor openings.
        GRANT SELECT, INSERT ON request, pending TO optiks_update;
        GRANT USAGE ON SEQUENCE request_seq_seq TO optiks_update;
        GRANT SELECT ON outcome, erasure TO optiks_update;
        GRANT SELECT (epoch, ordinal, structure, period, version) ON leaf TO optiks_update;
        GRANT SELECT (epoch, ordinal, key) ON value TO optiks_update;
        GRANT SELECT (period, number, structure, label) ON copy TO optiks_update;
        GRANT SELECT (period, first_epoch) ON period TO optiks_update;
      WHEN 'optiks_task' THEN
        GRANT SELECT ON request, pending, outcome, leaf, value, erasure, period, copy, copy_value, switch_request TO optiks_task;
        GRANT INSERT ON outcome, leaf, value, erasure, epoch, period, copy, copy_value TO optiks_task;
        GRANT DELETE ON request, pending, outcome, value, copy_value TO optiks_task;
        GRANT UPDATE (checkpoint) ON epoch TO optiks_task;
        GRANT UPDATE (state, first_epoch, copies, wrapped_secrets, destroyed_before) ON period TO optiks_task;
        GRANT UPDATE (epoch, published_epoch, fence, lease_end, holder, session, record_hash) ON head TO optiks_task;
      WHEN 'optiks_query' THEN
        GRANT SELECT ON leaf, value, erasure, period, copy, copy_value TO optiks_query;
    END CASE;
  END LOOP;
END
$$;
