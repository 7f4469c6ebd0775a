CREATE TABLE sars (
    property TEXT, sar BIGINT, subject TEXT, is_subject_known BOOLEAN NOT NULL, detected_on DATE NOT NULL,
    file_by DATE NOT NULL, first_day DATE NOT NULL, last_day DATE NOT NULL, dollars BIGINT NOT NULL, amends TEXT,
    continues TEXT, files_again BIGINT, status TEXT NOT NULL, content_sha256 TEXT NOT NULL, content_bytes BIGINT NOT NULL,
    prepared_by TEXT NOT NULL, prepared_at TIMESTAMPTZ NOT NULL, released_by TEXT, released_at TIMESTAMPTZ,
    filed_by TEXT, filed_at TIMESTAMPTZ, tracking_id TEXT, acknowledged_by TEXT, acknowledged_at TIMESTAMPTZ,
    bsa_id TEXT, errors JSONB NOT NULL, withdrawn_by TEXT, withdrawn_at TIMESTAMPTZ, withdraw_reason TEXT,
    destroyed_by TEXT, destroyed_at TIMESTAMPTZ,
    PRIMARY KEY (property, sar),
    CONSTRAINT status CHECK (status IN ('prepared', 'released', 'filed', 'accepted', 'rejected', 'withdrawn')),
    CONSTRAINT released_by_somebody_else CHECK (released_by <> prepared_by),
    CONSTRAINT released_first CHECK (status = 'withdrawn' OR (status = 'prepared') = (released_by IS NULL)),
    CONSTRAINT filed_after CHECK (status = 'withdrawn' OR (filed_by IS NULL) = (status IN ('prepared', 'released'))),
    CONSTRAINT status_and_withdrawal_agree CHECK ((withdrawn_by IS NULL) = (status <> 'withdrawn')),
    CONSTRAINT status_and_identifier_agree CHECK ((bsa_id IS NULL) = (status <> 'accepted'))
);

CREATE TABLE sar_files (
    property TEXT, sar BIGINT, wrapped_by TEXT NOT NULL, wrapped BYTEA NOT NULL, sealed TEXT NOT NULL,
    PRIMARY KEY (property, sar)
);
