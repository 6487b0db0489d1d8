-- Two roles for Ficha on PostgreSQL (docs/running.md): ficha_owner owns the database and its tables and runs
-- `ficha migrate`, `ficha restore` and `ficha backup drill`, which need tables of their own; ficha_service runs
-- everything else, and can neither change the tables nor what is append-only.
--
-- Run it as a superuser in the service's database, once `ficha migrate` has made the tables as ficha_owner; running it
-- again does no harm. Tables of later migrations are granted by themselves.
-- Tried by tests/core/test_postgresql_roles.py, which changes only the names.

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'ficha_service') THEN
        CREATE ROLE ficha_service LOGIN;  -- Then: \password ficha_service
    END IF;
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO ficha_service', current_database());
END $$;

REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO ficha_service;

GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ficha_service;
GRANT SELECT, USAGE ON ALL SEQUENCES IN SCHEMA public TO ficha_service;
ALTER DEFAULT PRIVILEGES FOR ROLE ficha_owner IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ficha_service;
ALTER DEFAULT PRIVILEGES FOR ROLE ficha_owner IN SCHEMA public GRANT SELECT, USAGE ON SEQUENCES TO ficha_service;

-- What only grows: the log of every record, its anchors, what was done with each code, and what staff changed.
REVOKE UPDATE, DELETE ON audit_entries, audit_anchors, code_ledger, admin_changes FROM ficha_service;
-- Which migrations were run.
REVOKE INSERT, UPDATE, DELETE ON alembic_version FROM ficha_service;

-- PostgreSQL's own log may not hold what people wrote: no values of statements that failed or were slow, and no details
-- of errors, which name the values that were there already ("Key (correo_key)=(…) already exists").
ALTER ROLE ficha_service SET log_error_verbosity = 'terse';
ALTER ROLE ficha_service SET log_parameter_max_length = 0;
ALTER ROLE ficha_service SET log_parameter_max_length_on_error = 0;
