CREATE TABLE submissions (
    property TEXT, game TEXT, version INTEGER, effective_from TIMESTAMPTZ, document JSONB,
    received_at TIMESTAMPTZ NOT NULL, withdrawal_received_at TIMESTAMPTZ,
    PRIMARY KEY (property, game, version)
);
