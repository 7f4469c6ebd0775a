CREATE TABLE submissions (
    property TEXT, game TEXT, version INTEGER, status TEXT NOT NULL, filed_by TEXT NOT NULL, document JSON NOT NULL,
    approved_by TEXT, approved_at TIMESTAMPTZ, rejected_by TEXT, rejected_at TIMESTAMPTZ, rejection_reason TEXT,
    effective_from TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (property, game, version),
    CONSTRAINT status_and_decision_agree CHECK (CASE status
            WHEN 'filed' THEN num_nonnulls(approved_by, approved_at, rejected_by, rejected_at, rejection_reason) = 0
            WHEN 'approved' THEN num_nulls(approved_by, approved_at) = 0
                AND num_nonnulls(rejected_by, rejected_at, rejection_reason) = 0
            WHEN 'rejected' THEN num_nulls(rejected_by, rejected_at, rejection_reason) = 0
                AND num_nonnulls(approved_by, approved_at) = 0
            ELSE false
        END),
    CONSTRAINT approved_by_somebody_else CHECK (approved_by <> filed_by)
);

CREATE UNIQUE INDEX one_beginning_one_version ON submissions (property, game, effective_from)
    WHERE status = 'approved';

CREATE TABLE properties (
    property TEXT, version INTEGER, status TEXT NOT NULL, filed_by TEXT NOT NULL, document JSON NOT NULL,
    approved_by TEXT, approved_at TIMESTAMPTZ, rejected_by TEXT, rejected_at TIMESTAMPTZ, rejection_reason TEXT,
    effective_from TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (property, version),
    CONSTRAINT status_and_decision_agree CHECK (CASE status
            WHEN 'filed' THEN num_nonnulls(approved_by, approved_at, rejected_by, rejected_at, rejection_reason) = 0
            WHEN 'approved' THEN num_nulls(approved_by, approved_at) = 0
                AND num_nonnulls(rejected_by, rejected_at, rejection_reason) = 0
            WHEN 'rejected' THEN num_nulls(rejected_by, rejected_at, rejection_reason) = 0
                AND num_nonnulls(approved_by, approved_at) = 0
            ELSE false
        END),
    CONSTRAINT approved_by_somebody_else CHECK (approved_by <> filed_by)
);

CREATE UNIQUE INDEX one_beginning_one_version_of_property ON properties (property, effective_from)
    WHERE status = 'approved';
