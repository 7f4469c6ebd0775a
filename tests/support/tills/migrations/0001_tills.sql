CREATE TABLE tills (
    property TEXT, till TEXT, cents BIGINT NOT NULL,
    PRIMARY KEY (property, till),
    CONSTRAINT no_such_sum CHECK (cents <> 4711)
);

CREATE TABLE adjustments (
    property TEXT, till TEXT, number BIGINT, cents BIGINT NOT NULL, entered_by TEXT NOT NULL, status TEXT NOT NULL,
    PRIMARY KEY (property, till, number)
);
