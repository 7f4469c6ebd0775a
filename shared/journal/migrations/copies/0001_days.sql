CREATE TABLE days (
    property TEXT, gaming_day DATE, status TEXT NOT NULL, since TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (property, gaming_day)
);
