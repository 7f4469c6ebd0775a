-- Let the services log in: one role for each, with the password that the deployment gives it.
--
-- Run as the owner, after `pitledger db upgrade` (which makes the roles; its migrations grant them what they need), with
-- the passwords in the environment, where no list of processes shows them:
--   ROUND_SETTLEMENT_PASSWORD=... VIGORISH_PASSWORD=... psql -X -f infra/postgres/roles.sql
-- It can be run again, to change a password.

\set ON_ERROR_STOP on
\set VERBOSITY terse
\set QUIET on

-- generated: passwords (from the manifests, by: make generated)
\getenv paytable_registry_password PAYTABLE_REGISTRY_PASSWORD
\if :{?paytable_registry_password}
\else
    DO $$ BEGIN RAISE 'PAYTABLE_REGISTRY_PASSWORD is not set: give it in the environment of psql'; END $$;
\endif
\getenv round_settlement_password ROUND_SETTLEMENT_PASSWORD
\if :{?round_settlement_password}
\else
    DO $$ BEGIN RAISE 'ROUND_SETTLEMENT_PASSWORD is not set: give it in the environment of psql'; END $$;
\endif
\getenv reporting_password REPORTING_PASSWORD
\if :{?reporting_password}
\else
    DO $$ BEGIN RAISE 'REPORTING_PASSWORD is not set: give it in the environment of psql'; END $$;
\endif
\getenv table_inventory_password TABLE_INVENTORY_PASSWORD
\if :{?table_inventory_password}
\else
    DO $$ BEGIN RAISE 'TABLE_INVENTORY_PASSWORD is not set: give it in the environment of psql'; END $$;
\endif
\getenv vigorish_password VIGORISH_PASSWORD
\if :{?vigorish_password}
\else
    DO $$ BEGIN RAISE 'VIGORISH_PASSWORD is not set: give it in the environment of psql'; END $$;
\endif
\getenv wagering_accounts_password WAGERING_ACCOUNTS_PASSWORD
\if :{?wagering_accounts_password}
\else
    DO $$ BEGIN RAISE 'WAGERING_ACCOUNTS_PASSWORD is not set: give it in the environment of psql'; END $$;
\endif
\getenv progressive_meters_password PROGRESSIVE_METERS_PASSWORD
\if :{?progressive_meters_password}
\else
    DO $$ BEGIN RAISE 'PROGRESSIVE_METERS_PASSWORD is not set: give it in the environment of psql'; END $$;
\endif
\getenv suspicious_activity_password SUSPICIOUS_ACTIVITY_PASSWORD
\if :{?suspicious_activity_password}
\else
    DO $$ BEGIN RAISE 'SUSPICIOUS_ACTIVITY_PASSWORD is not set: give it in the environment of psql'; END $$;
\endif
-- end of generated: passwords
-- The archiver needs a login only where it does not run with the owner's.
\getenv archive_password ARCHIVE_PASSWORD

-- The statements below hold passwords: whoever may, keeps them out of the server's log, failed ones too.
SELECT set_config(name, value, false)
FROM (VALUES ('log_statement', 'none'), ('log_min_error_statement', 'panic'), ('log_min_duration_statement', '-1'))
    AS quiet (name, value)
WHERE (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
\g /dev/null

BEGIN;
-- generated: logins
ALTER ROLE paytable_registry LOGIN PASSWORD :'paytable_registry_password';
ALTER ROLE round_settlement LOGIN PASSWORD :'round_settlement_password';
ALTER ROLE reporting LOGIN PASSWORD :'reporting_password';
ALTER ROLE table_inventory LOGIN PASSWORD :'table_inventory_password';
ALTER ROLE vigorish LOGIN PASSWORD :'vigorish_password';
ALTER ROLE wagering_accounts LOGIN PASSWORD :'wagering_accounts_password';
ALTER ROLE progressive_meters LOGIN PASSWORD :'progressive_meters_password';
ALTER ROLE suspicious_activity LOGIN PASSWORD :'suspicious_activity_password';
-- end of generated: logins
\if :{?archive_password}
    ALTER ROLE archive LOGIN PASSWORD :'archive_password';
\endif
COMMIT;
