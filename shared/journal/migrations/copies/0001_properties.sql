CREATE TABLE properties (
    property TEXT, version INTEGER, effective_from TIMESTAMPTZ NOT NULL, document JSONB NOT NULL,
    received_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (property, version)
);
