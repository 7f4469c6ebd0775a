-- Let the services log in: one role for each, with the password that the deployment gives it.
--
-- Run as the owner, after `pitledger db upgrade` (which makes the roles; its migrations grant them what they need):
--   psql -X -f infra/postgres/roles.sql \
--        -v paytable_registry_password=... -v round_settlement_password=... -v reporting_password=... \
--        -v table_inventory_password=... -v vigorish_password=... -v progressive_meters_password=... \
--        -v wagering_accounts_password=...
-- It can be run again, to change a password.

\set ON_ERROR_STOP on
\set VERBOSITY terse
\set QUIET on

\if :{?paytable_registry_password}
\else
    DO $$ BEGIN RAISE 'paytable_registry_password is not set: pass it to psql with -v'; END $$;
\endif
\if :{?round_settlement_password}
\else
    DO $$ BEGIN RAISE 'round_settlement_password is not set: pass it to psql with -v'; END $$;
\endif
\if :{?reporting_password}
\else
    DO $$ BEGIN RAISE 'reporting_password is not set: pass it to psql with -v'; END $$;
\endif
\if :{?table_inventory_password}
\else
    DO $$ BEGIN RAISE 'table_inventory_password is not set: pass it to psql with -v'; END $$;
\endif
\if :{?wagering_accounts_password}
\else
    DO $$ BEGIN RAISE 'wagering_accounts_password is not set: pass it to psql with -v'; END $$;
\endif
\if :{?vigorish_password}
\else
    DO $$ BEGIN RAISE 'vigorish_password is not set: pass it to psql with -v'; END $$;
\endif
\if :{?progressive_meters_password}
\else
    DO $$ BEGIN RAISE 'progressive_meters_password is not set: pass it to psql with -v'; END $$;
\endif

-- The statements below hold passwords: whoever may, keeps them out of the server's log, failed ones too.
SELECT set_config(name, value, false)
FROM (VALUES ('log_statement', 'none'), ('log_min_error_statement', 'panic'), ('log_min_duration_statement', '-1'))
    AS quiet (name, value)
WHERE (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
\g /dev/null

BEGIN;
ALTER ROLE paytable_registry LOGIN PASSWORD :'paytable_registry_password';
ALTER ROLE round_settlement LOGIN PASSWORD :'round_settlement_password';
ALTER ROLE reporting LOGIN PASSWORD :'reporting_password';
ALTER ROLE table_inventory LOGIN PASSWORD :'table_inventory_password';
ALTER ROLE wagering_accounts LOGIN PASSWORD :'wagering_accounts_password';
ALTER ROLE vigorish LOGIN PASSWORD :'vigorish_password';
ALTER ROLE progressive_meters LOGIN PASSWORD :'progressive_meters_password';
COMMIT;
