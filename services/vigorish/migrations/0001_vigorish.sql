CREATE TABLE owed (
    property TEXT, table_name TEXT, round_id TEXT, seat SMALLINT, bank BOOLEAN, gaming_day DATE NOT NULL, game TEXT,
    owed_by TEXT, closed_at TIMESTAMPTZ, dealer_id TEXT, assessed_cents BIGINT NOT NULL,
    collected_cents BIGINT NOT NULL, waived_cents BIGINT NOT NULL, shift TEXT, settled_dealer_id TEXT,
    settled_at TIMESTAMPTZ, claimed_day DATE, returned_cents BIGINT NOT NULL,
    PRIMARY KEY (property, table_name, round_id, seat, bank)
);
CREATE INDEX owed_of_day ON owed (property, gaming_day, table_name);

CREATE TABLE lines (
    property TEXT, table_name TEXT, round_id TEXT, revision INTEGER, line SMALLINT, standing BOOLEAN NOT NULL,
    gaming_day DATE NOT NULL, game TEXT NOT NULL, closed_at TIMESTAMPTZ NOT NULL, dealer_id TEXT,
    seat SMALLINT NOT NULL, bank BOOLEAN NOT NULL, owed_by TEXT NOT NULL, stake_cents BIGINT NOT NULL,
    base_cents BIGINT NOT NULL, rate NUMERIC(10, 9) NOT NULL, cents BIGINT NOT NULL, agrees BOOLEAN NOT NULL, document JSONB NOT NULL,
    shard INTEGER NOT NULL, seq BIGINT NOT NULL,
    PRIMARY KEY (property, table_name, round_id, revision, line)
);
CREATE INDEX lines_of_day ON lines (property, gaming_day, table_name);

CREATE TABLE shifts (
    property TEXT, table_name TEXT, at TIMESTAMPTZ, shift TEXT NOT NULL,
    PRIMARY KEY (property, table_name, at)
);
