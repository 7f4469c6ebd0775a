-- What 0002_banks_notices_house_edges.py runs.

-- The money of rounds that players bank.
ALTER TABLE reporting.wager_days
    ADD COLUMN banked_handle BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN banked_payout BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN bank_collected BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN bank_paid BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN house_in_bank BIGINT NOT NULL DEFAULT 0;
ALTER TABLE reporting.wager_days
    ALTER COLUMN banked_handle DROP DEFAULT,
    ALTER COLUMN banked_payout DROP DEFAULT,
    ALTER COLUMN bank_collected DROP DEFAULT,
    ALTER COLUMN bank_paid DROP DEFAULT,
    ALTER COLUMN house_in_bank DROP DEFAULT;

-- The notices of a round; an entry may have several.
ALTER TABLE reporting.exceptions
    ADD COLUMN number INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN revision INTEGER,
    ADD COLUMN code TEXT,
    ADD COLUMN seat INTEGER,
    ADD COLUMN paragraph TEXT,
    ADD COLUMN detail TEXT,
    DROP CONSTRAINT exceptions_pkey;
ALTER TABLE reporting.exceptions
    ALTER COLUMN number DROP DEFAULT,
    ADD PRIMARY KEY (service, shard, seq, number);
DROP INDEX reporting.exceptions_in_order, reporting.exceptions_of_property;
CREATE INDEX exceptions_in_order ON reporting.exceptions (since, service, shard, seq, number);
CREATE INDEX exceptions_of_property ON reporting.exceptions (property, since, service, shard, seq, number);
CREATE INDEX exceptions_of_rounds ON reporting.exceptions (property, table_name, round_id)
    WHERE kind = 'notice' OR kind = 'reversed';

-- What was wagered under which rules submission, and the house edges there.
CREATE TABLE reporting.submissions (
    property TEXT NOT NULL,
    game TEXT NOT NULL,
    version INTEGER NOT NULL,
    effective_from TIMESTAMP WITH TIME ZONE NOT NULL,
    document JSONB NOT NULL,
    received_at TIMESTAMP WITH TIME ZONE NOT NULL,
    PRIMARY KEY (property, game, version)
);
CREATE TABLE reporting.submission_days (
    gaming_day DATE NOT NULL,
    property TEXT NOT NULL,
    table_name TEXT NOT NULL,
    game TEXT NOT NULL,
    wager TEXT NOT NULL,
    version INTEGER NOT NULL,
    submission TEXT NOT NULL,
    handle BIGINT NOT NULL,
    PRIMARY KEY (gaming_day, property, table_name, game, wager, version, submission)
);
CREATE TABLE reporting.house_edges (
    submission TEXT NOT NULL,
    wager TEXT NOT NULL,
    paytable TEXT,
    house_edge TEXT,
    reason TEXT,
    PRIMARY KEY (submission, wager),
    CONSTRAINT house_edge_or_reason CHECK (num_nonnulls(house_edge, reason) = 1)
);

GRANT SELECT, INSERT ON reporting.submissions TO reporting;
GRANT SELECT, INSERT, UPDATE, DELETE ON reporting.submission_days TO reporting;
GRANT SELECT, INSERT, UPDATE, DELETE ON reporting.house_edges TO reporting;
