CREATE TABLE days (
    property TEXT, gaming_day DATE, status TEXT NOT NULL, since TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (property, gaming_day)
);

CREATE TABLE day_changes (
    property TEXT, gaming_day DATE, shard INTEGER, changed_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (property, gaming_day, shard)
);
