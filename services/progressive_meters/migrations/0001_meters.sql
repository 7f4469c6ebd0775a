CREATE TABLE pool_versions (
    property TEXT, pool TEXT, version INTEGER, status TEXT NOT NULL, filed_by TEXT NOT NULL, document JSON NOT NULL,
    approved_by TEXT, approved_at TIMESTAMPTZ, returned_by TEXT, returned_at TIMESTAMPTZ, return_reason TEXT,
    PRIMARY KEY (property, pool, version),
    CONSTRAINT status_and_decision_agree CHECK (CASE status
            WHEN 'filed' THEN filed_by IS NOT NULL
                AND num_nonnulls(approved_by, approved_at, returned_by, returned_at, return_reason) = 0
            WHEN 'approved' THEN num_nulls(filed_by, approved_by, approved_at) = 0
                AND num_nonnulls(returned_by, returned_at, return_reason) = 0
            WHEN 'returned' THEN num_nulls(filed_by, returned_by, returned_at, return_reason) = 0
                AND num_nonnulls(approved_by, approved_at) = 0
            ELSE false
        END),
    CONSTRAINT approved_by_somebody_else CHECK (approved_by <> filed_by)
);

CREATE TABLE pools (
    property TEXT, pool TEXT, number BIGINT NOT NULL, display NUMERIC(38, 0) NOT NULL, reserve NUMERIC(38, 0) NOT NULL,
    overflow NUMERIC(38, 0) NOT NULL, in_count BIGINT NOT NULL, in_cents BIGINT NOT NULL, hits BIGINT NOT NULL,
    wins_cents BIGINT NOT NULL, at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (property, pool)
);

CREATE TABLE movements (
    property TEXT, pool TEXT, number BIGINT, kind TEXT NOT NULL, gaming_day DATE NOT NULL, at TIMESTAMPTZ NOT NULL,
    "table" TEXT, game TEXT, round_id TEXT, revision BIGINT, meter TEXT, in_count BIGINT NOT NULL,
    in_cents BIGINT NOT NULL, award_cents BIGINT NOT NULL, hits BIGINT NOT NULL, contribution NUMERIC(38, 0) NOT NULL,
    reserved NUMERIC(38, 0) NOT NULL, overflow NUMERIC(38, 0) NOT NULL, reset NUMERIC(38, 0) NOT NULL,
    reserve_used NUMERIC(38, 0) NOT NULL, seed NUMERIC(38, 0) NOT NULL, transfer NUMERIC(38, 0) NOT NULL,
    released NUMERIC(38, 0) NOT NULL, display NUMERIC(38, 0) NOT NULL, movement JSON NOT NULL, shard INTEGER NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (property, pool, number),
    CONSTRAINT known_kind CHECK (kind IN ('seed', 'round', 'taken_back', 'change')),
    CONSTRAINT no_meter_falls_by_itself CHECK (kind IN ('taken_back', 'change') OR award_cents > 0 OR contribution + reset + seed + transfer + released >= 0)
);

CREATE INDEX movements_in_time ON movements (property, pool, at);

CREATE INDEX movements_of_day ON movements (property, gaming_day, pool);

CREATE INDEX movements_of_round ON movements (property, "table", round_id, revision) WHERE kind = 'round';

CREATE TABLE pool_days (
    property TEXT, pool TEXT, gaming_day DATE, movements BIGINT NOT NULL, in_count BIGINT NOT NULL,
    in_cents BIGINT NOT NULL, award_cents BIGINT NOT NULL, hits BIGINT NOT NULL, contribution NUMERIC(38, 0) NOT NULL,
    reserved NUMERIC(38, 0) NOT NULL, overflow NUMERIC(38, 0) NOT NULL, reset NUMERIC(38, 0) NOT NULL,
    reserve_used NUMERIC(38, 0) NOT NULL, seed NUMERIC(38, 0) NOT NULL, transfer NUMERIC(38, 0) NOT NULL,
    released NUMERIC(38, 0) NOT NULL, display_account BIGINT NOT NULL, reserve_account BIGINT NOT NULL,
    overflow_account BIGINT NOT NULL,
    PRIMARY KEY (property, pool, gaming_day)
);

CREATE TABLE readings (
    property TEXT, "table" TEXT, round_id TEXT, meter TEXT, pool TEXT NOT NULL, number BIGINT NOT NULL,
    standing BOOLEAN NOT NULL, game TEXT NOT NULL, gaming_day DATE NOT NULL, revision BIGINT NOT NULL,
    opened_at TIMESTAMPTZ NOT NULL, closed_at TIMESTAMPTZ NOT NULL, rate TEXT NOT NULL, in_cents BIGINT NOT NULL,
    settled_cents BIGINT NOT NULL, award_cents BIGINT NOT NULL, reset_cents BIGINT NOT NULL, before_cents BIGINT,
    after_cents BIGINT, findings TEXT[] NOT NULL, shard INTEGER NOT NULL, seq BIGINT NOT NULL,
    PRIMARY KEY (property, "table", round_id, meter)
);

CREATE INDEX readings_of_day ON readings (property, gaming_day, pool, number);

CREATE INDEX readings_in_time ON readings (property, pool, closed_at);

CREATE INDEX readings_with_findings ON readings (property, gaming_day) WHERE cardinality(findings) > 0;

CREATE TABLE hits (
    property TEXT, pool TEXT, number BIGINT, line BIGINT, standing BOOLEAN NOT NULL, "table" TEXT NOT NULL,
    round_id TEXT NOT NULL, revision BIGINT NOT NULL, cents BIGINT NOT NULL,
    PRIMARY KEY (property, pool, number, line)
);

CREATE INDEX hits_of_round ON hits (property, "table", round_id, revision);

CREATE TABLE changes (
    property TEXT, change BIGINT, pool TEXT NOT NULL, status TEXT NOT NULL, requested_by TEXT NOT NULL,
    document JSON NOT NULL, approved_by TEXT, rejection JSON,
    PRIMARY KEY (property, change),
    CONSTRAINT known_status CHECK (status IN ('requested', 'approved', 'rejected')),
    CONSTRAINT status_and_approval_agree CHECK ((status = 'approved') = (approved_by IS NOT NULL)),
    CONSTRAINT status_and_rejection_agree CHECK ((status = 'rejected') = (rejection IS NOT NULL)),
    CONSTRAINT approved_by_somebody_else CHECK (approved_by <> requested_by)
);

CREATE TABLE reconciliations (
    property TEXT, gaming_day DATE, seq BIGINT, rows_sha256 TEXT NOT NULL, document JSON NOT NULL,
    PRIMARY KEY (property, gaming_day, seq)
);

CREATE TABLE compared_pools (
    property TEXT, pool TEXT, number BIGINT NOT NULL, mark TEXT NOT NULL,
    PRIMARY KEY (property, pool)
);

CREATE TABLE compared_hours (
    property TEXT, pool TEXT, gaming_day DATE, hour TIMESTAMPTZ, readings BIGINT NOT NULL, movements BIGINT NOT NULL,
    display NUMERIC(38, 0) NOT NULL, reserve NUMERIC(38, 0) NOT NULL, overflow NUMERIC(38, 0) NOT NULL, different JSON,
    PRIMARY KEY (property, pool, gaming_day, hour)
);

CREATE INDEX compared_hours_of_day ON compared_hours (property, gaming_day);
