CREATE TABLE submissions (
    property TEXT, game TEXT, version INTEGER, effective_from TIMESTAMPTZ NOT NULL, document JSONB NOT NULL,
    received_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (property, game, version)
);

CREATE TABLE rounds (
    property TEXT, table_name TEXT, round_id TEXT, completed BIGINT, sequences BIGINT[] NOT NULL,
    revision INTEGER NOT NULL, shard INTEGER, seq BIGINT,
    PRIMARY KEY (property, table_name, round_id)
);
CREATE INDEX rounds_round_id ON rounds (round_id);
