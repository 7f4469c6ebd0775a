CREATE TABLE patrons (
    property TEXT, patron TEXT, wallet TEXT NOT NULL, tax_residence TEXT, failed_codes BIGINT NOT NULL, locked_until TIMESTAMPTZ,
    excluded_at TIMESTAMPTZ, limits JSONB NOT NULL, bought_in_on DATE, bought_in_cents BIGINT NOT NULL,
    erased_at TIMESTAMPTZ,
    PRIMARY KEY (property, patron),
    CONSTRAINT not_negative CHECK (failed_codes >= 0 AND bought_in_cents >= 0)
);

CREATE INDEX patrons_by_end ON patrons (reverse(lower(patron COLLATE "C")), property);

CREATE TABLE patron_codes (
    property TEXT, patron TEXT, number BIGINT NOT NULL, salt BYTEA NOT NULL, hash BYTEA NOT NULL, signature BYTEA,
    PRIMARY KEY (property, patron)
);

CREATE INDEX entries_of_codes ON entries ((data ->> 'property'), (data ->> 'patron'))
    WHERE kind IN ('patron.registered', 'patron.code_changed');

CREATE TABLE patron_keys (
    property TEXT, patron TEXT, wrapped_by TEXT NOT NULL, wrapped BYTEA NOT NULL, taxpayer_number_digest BYTEA,
    document_digest BYTEA,
    PRIMARY KEY (property, patron)
);

CREATE INDEX patron_keys_by_taxpayer_number ON patron_keys (property, taxpayer_number_digest);
CREATE INDEX patron_keys_by_document ON patron_keys (property, document_digest);

CREATE TABLE patron_identities (
    property TEXT, patron TEXT, identity TEXT, identified_by TEXT NOT NULL, identified_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (property, patron)
);

CREATE TABLE patron_erasures (
    property TEXT, patron TEXT, ground TEXT NOT NULL, last_form_on DATE, entered_by TEXT NOT NULL,
    entered_at TIMESTAMPTZ NOT NULL, status TEXT NOT NULL, decided_by TEXT, decided_at TIMESTAMPTZ,
    PRIMARY KEY (property, patron),
    CONSTRAINT status CHECK (status IN ('entered', 'approved', 'rejected')),
    CONSTRAINT approved_by_somebody_else CHECK (status <> 'approved' OR decided_by <> entered_by),
    CONSTRAINT status_and_decision_agree CHECK ((status = 'entered') = (decided_by IS NULL))
);

CREATE TABLE balances (
    property TEXT, account TEXT, kind TEXT NOT NULL, "table" TEXT NOT NULL, patron TEXT, status TEXT NOT NULL,
    version BIGINT NOT NULL, available_cents BIGINT NOT NULL, held_cents BIGINT NOT NULL, staked_cents BIGINT NOT NULL,
    promotional_cents BIGINT NOT NULL, promotional_held_cents BIGINT NOT NULL, promotional_staked_cents BIGINT NOT NULL,
    opened_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (property, account),
    CONSTRAINT never_negative CHECK (
        available_cents >= 0 AND held_cents >= 0 AND staked_cents >= 0 AND promotional_cents >= 0
        AND promotional_held_cents >= 0 AND promotional_staked_cents >= 0),
    CONSTRAINT kind CHECK ((kind = 'wallet') = ("table" = '') AND kind IN ('wallet', 'game')),
    CONSTRAINT status CHECK (status IN ('open', 'closed'))
);

CREATE INDEX balances_of_patron ON balances (property, patron) WHERE patron IS NOT NULL;
CREATE INDEX balances_by_end ON balances (reverse(lower(account COLLATE "C")), property);
CREATE INDEX balances_with_promotional_money ON balances (property, account) WHERE promotional_cents + promotional_held_cents + promotional_staked_cents > 0;

CREATE UNIQUE INDEX balances_one_wallet ON balances (property, patron) WHERE kind = 'wallet';

CREATE TABLE rounds (
    property TEXT, "table" TEXT, round_id TEXT, status TEXT NOT NULL, version BIGINT NOT NULL,
    opened_at TIMESTAMPTZ NOT NULL, posted INTEGER[] NOT NULL, reversed INTEGER[] NOT NULL, voided BOOLEAN NOT NULL,
    PRIMARY KEY (property, "table", round_id),
    CONSTRAINT status CHECK (status IN ('open', 'captured', 'settled', 'void'))
);

CREATE INDEX rounds_open ON rounds (property, opened_at, "table", round_id) WHERE status IN ('open', 'captured');

CREATE TABLE holds (
    property TEXT, account TEXT, hold BIGINT, "table" TEXT NOT NULL, round_id TEXT NOT NULL, seat BIGINT NOT NULL,
    wager TEXT NOT NULL, cents BIGINT NOT NULL, promotional_cents BIGINT NOT NULL, status TEXT NOT NULL,
    PRIMARY KEY (property, account, hold),
    CONSTRAINT something_is_held CHECK (cents > 0 AND promotional_cents BETWEEN 0 AND cents),
    CONSTRAINT status CHECK (status IN ('held', 'captured', 'settled', 'returned', 'released'))
);

CREATE INDEX holds_of_round ON holds (property, "table", round_id);

CREATE TABLE round_accounts (
    property TEXT, "table" TEXT, round_id TEXT, account TEXT, staked_cents BIGINT NOT NULL,
    credited_cents BIGINT NOT NULL, covered_cents BIGINT NOT NULL, shortage_cents BIGINT NOT NULL,
    promotional_shortage_cents BIGINT NOT NULL,
    PRIMARY KEY (property, "table", round_id, account),
    CONSTRAINT not_negative CHECK (covered_cents >= 0 AND promotional_shortage_cents BETWEEN 0 AND shortage_cents)
);

CREATE TABLE promotions (
    property TEXT, account TEXT, promotion BIGINT, cents BIGINT NOT NULL, reason TEXT NOT NULL, expires_on DATE,
    entered_by TEXT NOT NULL, entered_at TIMESTAMPTZ NOT NULL, status TEXT NOT NULL, decided_by TEXT,
    decided_at TIMESTAMPTZ, version BIGINT,
    PRIMARY KEY (property, account, promotion),
    CONSTRAINT something_is_granted CHECK (cents > 0),
    CONSTRAINT status CHECK (status IN ('entered', 'granted', 'rejected')),
    CONSTRAINT status_and_decision_agree CHECK ((status = 'entered') = (decided_by IS NULL))
);
CREATE INDEX promotions_that_expire ON promotions (expires_on) WHERE status = 'granted' AND expires_on IS NOT NULL;

CREATE TABLE adjustments (
    property TEXT, account TEXT, adjustment BIGINT, cents BIGINT NOT NULL, reason TEXT NOT NULL, status TEXT NOT NULL,
    entered_by TEXT NOT NULL, entered_at TIMESTAMPTZ NOT NULL, decided_by TEXT, decided_at TIMESTAMPTZ,
    before_cents BIGINT, after_cents BIGINT,
    PRIMARY KEY (property, account, adjustment),
    CONSTRAINT something_changes CHECK (cents <> 0),
    CONSTRAINT status CHECK (status IN ('entered', 'approved', 'rejected')),
    CONSTRAINT approved_by_somebody_else CHECK (status <> 'approved' OR decided_by <> entered_by),
    CONSTRAINT status_and_decision_agree CHECK ((status = 'entered') = (decided_by IS NULL)),
    CONSTRAINT before_and_after_agree CHECK (status <> 'approved' OR after_cents = before_cents + cents)
);

CREATE TABLE lines (
    property TEXT, account TEXT, version BIGINT, shard INTEGER NOT NULL, seq BIGINT NOT NULL, kind TEXT NOT NULL,
    gaming_day DATE NOT NULL, recorded_at TIMESTAMPTZ NOT NULL, available_change_cents BIGINT NOT NULL,
    held_change_cents BIGINT NOT NULL, staked_change_cents BIGINT NOT NULL, promotional_change_cents BIGINT NOT NULL,
    promotional_held_change_cents BIGINT NOT NULL, promotional_staked_change_cents BIGINT NOT NULL,
    available_cents BIGINT NOT NULL, held_cents BIGINT NOT NULL, staked_cents BIGINT NOT NULL,
    promotional_cents BIGINT NOT NULL, promotional_held_cents BIGINT NOT NULL, promotional_staked_cents BIGINT NOT NULL,
    "table" TEXT, round_id TEXT,
    PRIMARY KEY (property, account, version),
    CONSTRAINT never_negative CHECK (
        available_cents >= 0 AND held_cents >= 0 AND staked_cents >= 0 AND promotional_cents >= 0
        AND promotional_held_cents >= 0 AND promotional_staked_cents >= 0)
);

CREATE TABLE filings (
    property TEXT, filing BIGINT, form TEXT NOT NULL, period TEXT NOT NULL, period_ends DATE NOT NULL,
    file_by DATE NOT NULL, copy_by DATE, unconfirmed JSONB NOT NULL,
    status TEXT NOT NULL, report_count BIGINT NOT NULL, content_sha256 TEXT NOT NULL, content_bytes BIGINT NOT NULL,
    prepared_by TEXT NOT NULL, prepared_at TIMESTAMPTZ NOT NULL, released_by TEXT, released_at TIMESTAMPTZ,
    filed_by TEXT, filed_at TIMESTAMPTZ, tracking_id TEXT, acknowledged_by TEXT, acknowledged_at TIMESTAMPTZ,
    withdrawn_by TEXT, withdrawn_at TIMESTAMPTZ, withdraw_reason TEXT, errors JSONB NOT NULL,
    PRIMARY KEY (property, filing),
    CONSTRAINT status CHECK (status IN ('prepared', 'released', 'filed', 'accepted', 'rejected', 'withdrawn')),
    CONSTRAINT released_by_somebody_else CHECK (released_by <> prepared_by),
    CONSTRAINT released_first CHECK (status = 'withdrawn' OR (status = 'prepared') = (released_by IS NULL)),
    CONSTRAINT filed_after CHECK (status = 'withdrawn' OR (filed_by IS NULL) = (status IN ('prepared', 'released'))),
    CONSTRAINT status_and_withdrawal_agree CHECK ((withdrawn_by IS NULL) = (status <> 'withdrawn'))
);

CREATE INDEX filings_of_period ON filings (property, form, period);
CREATE INDEX filings_by_end ON filings (reverse(lower(tracking_id COLLATE "C")), property);

CREATE TABLE filing_reports (
    property TEXT, filing BIGINT, report BIGINT, kind TEXT NOT NULL, reference TEXT NOT NULL,
    in_dollars BIGINT, out_dollars BIGINT, winnings_cents BIGINT, withheld_cents BIGINT, corrects BIGINT,
    state_withheld_cents BIGINT, local_withheld_cents BIGINT,
    account_number TEXT, amends TEXT, bsa_id TEXT, lines_sha256 TEXT, basis TEXT, accepted BOOLEAN, errors JSONB NOT NULL, with_others JSONB,
    PRIMARY KEY (property, filing, report),
    CONSTRAINT kind CHECK (kind IN ('patron', 'account', 'entry'))
);

CREATE INDEX filing_reports_about ON filing_reports (property, reference);
CREATE INDEX filing_reports_by_identifier ON filing_reports (property, bsa_id) WHERE bsa_id IS NOT NULL;
CREATE INDEX filing_reports_by_end ON filing_reports (reverse(lower(coalesce(bsa_id, account_number) COLLATE "C")), property);

CREATE TABLE filing_files (
    property TEXT, filing BIGINT, wrapped_by TEXT NOT NULL, wrapped BYTEA NOT NULL, sealed TEXT NOT NULL,
    PRIMARY KEY (property, filing)
);
