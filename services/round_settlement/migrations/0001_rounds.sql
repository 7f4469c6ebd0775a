CREATE TABLE rounds (
    round_id TEXT, property TEXT, table_name TEXT, gaming_day DATE NOT NULL, game TEXT NOT NULL, completed BIGINT,
    sequences BIGINT[] NOT NULL, revision INTEGER NOT NULL, shard INTEGER, seq BIGINT,
    PRIMARY KEY (round_id, property, table_name)
);
CREATE INDEX rounds_of_day ON rounds (property, gaming_day, table_name, round_id);
