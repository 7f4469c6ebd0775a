CREATE TABLE owed (
    property TEXT, table_name TEXT, round_id TEXT, seat SMALLINT, bank BOOLEAN, gaming_day DATE NOT NULL, game TEXT,
    owed_by TEXT, closed_at TIMESTAMPTZ, dealer_id TEXT, assessed_cents BIGINT NOT NULL,
    collected_cents BIGINT NOT NULL, waived_cents BIGINT NOT NULL, settled_dealer_id TEXT,
    settled_at TIMESTAMPTZ, returned_cents BIGINT NOT NULL,
    PRIMARY KEY (property, table_name, round_id, seat, bank)
);
CREATE INDEX owed_of_day ON owed (property, gaming_day, table_name);

CREATE TABLE lines (
    property TEXT, table_name TEXT, round_id TEXT, revision INTEGER, line SMALLINT, document JSONB NOT NULL,
    PRIMARY KEY (property, table_name, round_id, revision, line)
);

CREATE TABLE pit_events (
    source TEXT, sequence BIGINT, last BIGINT NOT NULL, desk BIGINT NOT NULL, revision BIGINT NOT NULL,
    shard BIGINT, seq BIGINT, changes BIGINT, property TEXT, table_name TEXT, round_id TEXT, dealer_id TEXT, seat SMALLINT, bank BOOLEAN,
    at TIMESTAMPTZ,
    PRIMARY KEY (source, sequence)
);
CREATE INDEX events_of_seat ON pit_events (property, table_name, round_id, seat) WHERE round_id IS NOT NULL;
