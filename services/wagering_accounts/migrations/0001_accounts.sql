CREATE TABLE patrons (
    property TEXT, patron TEXT, wallet TEXT NOT NULL, salt BYTEA NOT NULL, hash BYTEA NOT NULL,
    failed_codes INTEGER NOT NULL, locked_until TIMESTAMPTZ, excluded_at TIMESTAMPTZ, limits JSONB NOT NULL,
    bought_in_on DATE, bought_in BIGINT NOT NULL,
    PRIMARY KEY (property, patron),
    CONSTRAINT not_negative CHECK (failed_codes >= 0 AND bought_in >= 0)
);

CREATE TABLE balances (
    property TEXT, account TEXT, kind TEXT NOT NULL, table_name TEXT NOT NULL, patron TEXT, status TEXT NOT NULL,
    version BIGINT NOT NULL, available BIGINT NOT NULL, held BIGINT NOT NULL, staked BIGINT NOT NULL,
    opened_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (property, account),
    CONSTRAINT never_negative CHECK (available >= 0 AND held >= 0 AND staked >= 0),
    CONSTRAINT kind CHECK ((kind = 'wallet') = (table_name = '') AND kind IN ('wallet', 'game')),
    CONSTRAINT status CHECK (status IN ('open', 'closed'))
);
CREATE INDEX balances_of_patron ON balances (property, patron);
CREATE UNIQUE INDEX balances_one_wallet ON balances (property, patron) WHERE kind = 'wallet';

CREATE TABLE rounds (
    property TEXT, table_name TEXT, round_id TEXT, state TEXT NOT NULL, version BIGINT NOT NULL,
    opened_at TIMESTAMPTZ NOT NULL, posted INTEGER[] NOT NULL, reversed INTEGER[] NOT NULL, voided BOOLEAN NOT NULL,
    PRIMARY KEY (property, table_name, round_id),
    CONSTRAINT state CHECK (state IN ('open', 'captured', 'settled', 'void'))
);
CREATE INDEX rounds_open ON rounds (property, opened_at, table_name, round_id) WHERE state IN ('open', 'captured');

CREATE TABLE holds (
    property TEXT, account TEXT, number BIGINT, table_name TEXT NOT NULL, round_id TEXT NOT NULL,
    seat SMALLINT NOT NULL, wager TEXT NOT NULL, cents BIGINT NOT NULL, state TEXT NOT NULL,
    PRIMARY KEY (property, account, number),
    CONSTRAINT something_is_held CHECK (cents > 0),
    CONSTRAINT state CHECK (state IN ('held', 'captured', 'settled', 'released'))
);
CREATE INDEX holds_of_round ON holds (property, table_name, round_id);

CREATE TABLE round_accounts (
    property TEXT, table_name TEXT, round_id TEXT, account TEXT, staked BIGINT NOT NULL, credited BIGINT NOT NULL,
    covered BIGINT NOT NULL, shortage BIGINT NOT NULL,
    PRIMARY KEY (property, table_name, round_id, account),
    CONSTRAINT not_negative CHECK (covered >= 0 AND shortage >= 0)
);
CREATE INDEX round_accounts_exceptions ON round_accounts (property, table_name, round_id, account)
    WHERE shortage > 0 OR staked > covered;

CREATE TABLE adjustments (
    property TEXT, account TEXT, number BIGINT, cents BIGINT NOT NULL, reason TEXT NOT NULL, state TEXT NOT NULL,
    entered_by TEXT NOT NULL, entered_at TIMESTAMPTZ NOT NULL, decided_by TEXT, decided_at TIMESTAMPTZ, before BIGINT,
    after BIGINT,
    PRIMARY KEY (property, account, number),
    CONSTRAINT something_changes CHECK (cents <> 0),
    CONSTRAINT state CHECK (state IN ('entered', 'approved', 'rejected')),
    CONSTRAINT approved_by_somebody_else CHECK (state <> 'approved' OR decided_by <> entered_by),
    CONSTRAINT state_and_decision_agree CHECK ((state = 'entered') = (decided_by IS NULL)),
    CONSTRAINT before_and_after_agree CHECK (state <> 'approved' OR after = before + cents)
);

CREATE TABLE lines (
    property TEXT, account TEXT, version BIGINT, shard INTEGER NOT NULL, seq BIGINT NOT NULL, kind TEXT NOT NULL,
    gaming_day DATE NOT NULL, recorded_at TIMESTAMPTZ NOT NULL, available_change BIGINT NOT NULL,
    held_change BIGINT NOT NULL, staked_change BIGINT NOT NULL, available BIGINT NOT NULL, held BIGINT NOT NULL,
    staked BIGINT NOT NULL, table_name TEXT, round_id TEXT,
    PRIMARY KEY (property, account, version),
    CONSTRAINT never_negative CHECK (available >= 0 AND held >= 0 AND staked >= 0)
);
CREATE INDEX lines_by_day ON lines (property, gaming_day);

CREATE TABLE liability_days (
    property TEXT, gaming_day DATE, shard INTEGER, bought_in BIGINT NOT NULL, cashed_out BIGINT NOT NULL,
    staked BIGINT NOT NULL, credited BIGINT NOT NULL, adjusted BIGINT NOT NULL, short BIGINT NOT NULL,
    PRIMARY KEY (property, gaming_day, shard)
);
