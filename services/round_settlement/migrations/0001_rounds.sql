CREATE TABLE rounds (
    round_id TEXT, property TEXT, table_name TEXT, completed BIGINT, seq BIGINT, shard INTEGER,
    revision INTEGER NOT NULL, gaming_day DATE NOT NULL, game TEXT NOT NULL, others BIGINT[] NOT NULL,
    PRIMARY KEY (round_id, property, table_name)
);
CREATE INDEX rounds_of_day ON rounds (property, gaming_day, table_name);
CREATE INDEX rounds_by_end ON rounds (reverse(lower(round_id COLLATE "C")), property);

CREATE TABLE corrections (
    property TEXT, correction INTEGER, table_name TEXT NOT NULL, round_id TEXT NOT NULL, gaming_day DATE NOT NULL,
    replaces INTEGER NOT NULL, reason TEXT NOT NULL, proposed_by TEXT NOT NULL, proposed_at TIMESTAMPTZ NOT NULL,
    status TEXT NOT NULL, decided_by TEXT, decision_reason TEXT, decided_at TIMESTAMPTZ, sequence INTEGER,
    shard INTEGER NOT NULL, seq BIGINT NOT NULL,
    PRIMARY KEY (property, correction)
);
CREATE INDEX corrections_of_round ON corrections (property, table_name, round_id);
CREATE UNIQUE INDEX corrections_approved ON corrections (property, table_name, sequence);

CREATE TABLE correction_outcomes (
    property TEXT, correction INTEGER, posted BOOLEAN NOT NULL, shard INTEGER NOT NULL, seq BIGINT NOT NULL,
    PRIMARY KEY (property, correction)
);

CREATE TABLE result_voids (
    property TEXT, table_name TEXT, result BIGINT, sequence BIGINT NOT NULL, PRIMARY KEY (property, table_name, result)
);
