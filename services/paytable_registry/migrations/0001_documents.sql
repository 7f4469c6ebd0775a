CREATE TABLE submissions (
    property TEXT, game TEXT, version INTEGER, status TEXT NOT NULL, filed_by TEXT, document JSON NOT NULL,
    approved_by TEXT, approved_at TIMESTAMPTZ, returned_by TEXT, returned_at TIMESTAMPTZ, return_reason TEXT,
    effective_from TIMESTAMPTZ NOT NULL, overridden JSON,
    withdrawal_requested_by TEXT, withdrawal_requested_at TIMESTAMPTZ, withdrawal_reason TEXT,
    withdrawn_by TEXT, withdrawn_at TIMESTAMPTZ,
    PRIMARY KEY (property, game, version),
    CONSTRAINT status_and_decision_agree CHECK (CASE status
            WHEN 'draft' THEN
                num_nonnulls(filed_by, approved_by, approved_at, returned_by, returned_at, return_reason) = 0
            WHEN 'withdrawn' THEN num_nonnulls(returned_by, returned_at, return_reason) = 0
            WHEN 'filed' THEN filed_by IS NOT NULL
                AND num_nonnulls(approved_by, approved_at, returned_by, returned_at, return_reason) = 0
            WHEN 'approved' THEN num_nulls(filed_by, approved_by, approved_at) = 0
                AND num_nonnulls(returned_by, returned_at, return_reason) = 0
            WHEN 'returned' THEN num_nulls(filed_by, returned_by, returned_at, return_reason) = 0
                AND num_nonnulls(approved_by, approved_at) = 0
            ELSE false
        END),
    CONSTRAINT approved_by_somebody_else CHECK (approved_by <> filed_by),
    CONSTRAINT withdrawn_says_why CHECK (
        CASE WHEN status = 'withdrawn' THEN num_nulls(withdrawn_by, withdrawn_at, withdrawal_reason) = 0
            ELSE num_nonnulls(withdrawn_by, withdrawn_at) = 0 END),
    CONSTRAINT withdrawn_by_somebody_else CHECK (withdrawn_by <> withdrawal_requested_by)
);

CREATE FUNCTION what_was_filed_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'version % of % at % was filed: its content stays', OLD.version, OLD.game, OLD.property
        USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE TRIGGER what_was_filed_stays BEFORE UPDATE OF document, filed_by, effective_from ON submissions
    FOR EACH ROW WHEN (OLD.status <> 'draft') EXECUTE FUNCTION what_was_filed_stays();

CREATE TABLE properties (
    property TEXT, version INTEGER, status TEXT NOT NULL, filed_by TEXT NOT NULL, document JSON NOT NULL,
    approved_by TEXT, approved_at TIMESTAMPTZ, returned_by TEXT, returned_at TIMESTAMPTZ, return_reason TEXT,
    effective_from TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (property, version),
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

CREATE UNIQUE INDEX one_beginning_one_version_of_property ON properties (property, effective_from)
    WHERE status = 'approved';

CREATE TABLE ledger_mappings (
    property TEXT, version INTEGER, status TEXT NOT NULL, filed_by TEXT NOT NULL, document JSON NOT NULL,
    approved_by TEXT, approved_at TIMESTAMPTZ, returned_by TEXT, returned_at TIMESTAMPTZ, return_reason TEXT,
    effective_from TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (property, version),
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

CREATE UNIQUE INDEX one_beginning_one_version_of_ledger_mapping ON ledger_mappings (property, effective_from)
    WHERE status = 'approved';
