CREATE TABLE house_edges (
    submission TEXT, wager TEXT, recorded_at TIMESTAMPTZ NOT NULL, offered TEXT NOT NULL, paytable TEXT, returns JSON,
    reason TEXT,
    PRIMARY KEY (submission, wager),
    CONSTRAINT returns_or_reason CHECK (num_nonnulls(returns, reason) = 1)
);

CREATE TABLE exceptions (
    service TEXT, shard INTEGER, seq BIGINT, hash TEXT NOT NULL, recorded_at TIMESTAMPTZ NOT NULL, number INTEGER,
    kind TEXT NOT NULL, status TEXT NOT NULL, since TIMESTAMPTZ NOT NULL, stream TEXT, first BIGINT, last BIGINT,
    missing INT8MULTIRANGE, property TEXT, table_name TEXT, game TEXT, gaming_day DATE, round_id TEXT, topic TEXT,
    partition INTEGER, "offset" BIGINT, reason TEXT, entered_by TEXT, approved_by TEXT, revision INTEGER, code TEXT,
    seat INTEGER, paragraph TEXT, detail TEXT, settled_at TIMESTAMPTZ, settled_shard INTEGER, settled_seq BIGINT,
    settled_hash TEXT, settled_by TEXT, settled_approved_by TEXT, settled_reason TEXT,
    PRIMARY KEY (service, shard, seq, number)
);
CREATE INDEX exceptions_gaps ON exceptions (stream, first) WHERE kind = 'gap';
CREATE INDEX exceptions_in_order ON exceptions (since, service, shard, seq, number);
CREATE INDEX exceptions_of_property ON exceptions (property, since, service, shard, seq, number);
CREATE INDEX exceptions_of_rounds ON exceptions (property, table_name, round_id)
    WHERE kind = 'notice' OR kind = 'reversed';
CREATE INDEX exceptions_open ON exceptions (property) WHERE status = 'open';

CREATE TABLE filled_gaps (
    service TEXT, shard INTEGER, seq BIGINT, hash TEXT NOT NULL, recorded_at TIMESTAMPTZ NOT NULL,
    at TIMESTAMPTZ NOT NULL, stream TEXT NOT NULL, sequence BIGINT NOT NULL,
    PRIMARY KEY (service, shard, seq)
);
CREATE INDEX filled_gaps_in_stream ON filled_gaps (stream, sequence);

CREATE TABLE closings (
    service TEXT, shard INTEGER, seq BIGINT, hash TEXT NOT NULL, recorded_at TIMESTAMPTZ NOT NULL, closed_shard INTEGER,
    closed_seq BIGINT, status TEXT NOT NULL, at TIMESTAMPTZ NOT NULL, by TEXT, approved_by TEXT, reason TEXT,
    PRIMARY KEY (service, shard, seq, closed_shard, closed_seq)
);
CREATE INDEX closings_of ON closings (service, closed_shard, closed_seq);

CREATE TABLE facts (
    service TEXT, shard INTEGER, seq BIGINT, hash TEXT NOT NULL, recorded_at TIMESTAMPTZ NOT NULL, kind TEXT NOT NULL,
    event TEXT, property TEXT, table_name TEXT, gaming_day DATE, occurred_at TIMESTAMPTZ NOT NULL, data JSON NOT NULL,
    PRIMARY KEY (service, shard, seq)
);
CREATE INDEX facts_of_property ON facts (property, kind, gaming_day);
CREATE INDEX facts_of_pit ON facts (property, event, gaming_day) WHERE event IS NOT NULL;
CREATE INDEX facts_of_table ON facts (property, table_name, occurred_at) WHERE table_name IS NOT NULL;

CREATE TABLE amounts (
    service TEXT, shard INTEGER, seq BIGINT, hash TEXT NOT NULL, recorded_at TIMESTAMPTZ NOT NULL, number INTEGER,
    property TEXT NOT NULL, gaming_day DATE NOT NULL, table_name TEXT NOT NULL, shift TEXT NOT NULL, item TEXT NOT NULL,
    measure TEXT NOT NULL, value NUMERIC NOT NULL,
    PRIMARY KEY (service, shard, seq, number)
);
CREATE INDEX amounts_of_day ON amounts (property, gaming_day, measure);

CREATE TABLE amount_days (
    gaming_day DATE, property TEXT, measure TEXT, table_name TEXT, shift TEXT, item TEXT, value NUMERIC NOT NULL,
    PRIMARY KEY (gaming_day, property, measure, table_name, shift, item)
);
CREATE INDEX amount_days_of_measure ON amount_days (property, measure, gaming_day) WHERE value <> 0;

CREATE TABLE rounds (
    shard INTEGER, seq BIGINT, recorded_at TIMESTAMPTZ NOT NULL, property TEXT NOT NULL, gaming_day DATE NOT NULL,
    table_name TEXT NOT NULL, game TEXT NOT NULL, shift TEXT NOT NULL, dealer TEXT NOT NULL, round_id TEXT NOT NULL,
    revision INTEGER NOT NULL, sign INTEGER NOT NULL, corrected BOOLEAN NOT NULL, version INTEGER NOT NULL,
    submission TEXT NOT NULL, closed_at TIMESTAMPTZ NOT NULL, chips_cents BIGINT NOT NULL, wagers TEXT[] NOT NULL,
    figures BIGINT[] NOT NULL, line_wagers TEXT[] NOT NULL, line_categories TEXT[] NOT NULL,
    line_figures BIGINT[] NOT NULL,
    PRIMARY KEY (shard, seq)
);
CREATE INDEX rounds_of_table ON rounds (property, gaming_day, table_name, closed_at);
CREATE INDEX rounds_recorded ON rounds (property, gaming_day, recorded_at);

CREATE TABLE round_days (
    gaming_day DATE, property TEXT, table_name TEXT, game TEXT, shift TEXT, dealer TEXT, version INTEGER,
    submission TEXT, wager TEXT, count BIGINT NOT NULL,
    handle_cents BIGINT NOT NULL, payout_cents BIGINT NOT NULL, vigorish_cents BIGINT NOT NULL, meter_contribution_cents BIGINT NOT NULL,
    meter_payout_cents BIGINT NOT NULL, meter_reset_cents BIGINT NOT NULL, account_staked_cents BIGINT NOT NULL,
    account_credited_cents BIGINT NOT NULL, banked_handle_cents BIGINT NOT NULL, banked_payout_cents BIGINT NOT NULL,
    bank_collected_cents BIGINT NOT NULL, bank_paid_cents BIGINT NOT NULL, house_in_bank_cents BIGINT NOT NULL,
    stakes BIGINT NOT NULL, squared NUMERIC NOT NULL,
    PRIMARY KEY (gaming_day, property, table_name, game, shift, dealer, version, submission, wager)
);

CREATE TABLE wager_days (
    gaming_day DATE, property TEXT, table_name TEXT, game TEXT, shift TEXT, version INTEGER,
    submission TEXT, wager TEXT, count BIGINT NOT NULL,
    handle_cents BIGINT NOT NULL, payout_cents BIGINT NOT NULL, vigorish_cents BIGINT NOT NULL, meter_contribution_cents BIGINT NOT NULL,
    meter_payout_cents BIGINT NOT NULL, meter_reset_cents BIGINT NOT NULL, account_staked_cents BIGINT NOT NULL,
    account_credited_cents BIGINT NOT NULL, banked_handle_cents BIGINT NOT NULL, banked_payout_cents BIGINT NOT NULL,
    bank_collected_cents BIGINT NOT NULL, bank_paid_cents BIGINT NOT NULL, house_in_bank_cents BIGINT NOT NULL,
    stakes BIGINT NOT NULL, squared NUMERIC NOT NULL,
    PRIMARY KEY (gaming_day, property, table_name, game, shift, version, submission, wager)
);

CREATE TABLE play_days (
    gaming_day DATE, property TEXT, table_name TEXT, game TEXT, shift TEXT, dealer TEXT, version INTEGER,
    submission TEXT, posted BIGINT NOT NULL, corrected BIGINT NOT NULL, reversed BIGINT NOT NULL,
    PRIMARY KEY (gaming_day, property, table_name, game, shift, dealer, version, submission)
);

CREATE TABLE line_days (
    gaming_day DATE, property TEXT, table_name TEXT, game TEXT, version INTEGER, submission TEXT, wager TEXT,
    category TEXT, lines NUMERIC NOT NULL, stake_cents NUMERIC NOT NULL, squared NUMERIC NOT NULL,
    payout_cents NUMERIC NOT NULL, meter_cents NUMERIC NOT NULL,
    PRIMARY KEY (gaming_day, property, table_name, game, version, submission, wager, category)
);

CREATE TABLE day_moments (
    property TEXT, gaming_day DATE, first_recorded TIMESTAMPTZ NOT NULL, last_recorded TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (property, gaming_day)
);

CREATE TABLE positions (
    service TEXT, shard INTEGER, recorded_at TIMESTAMPTZ, seq BIGINT NOT NULL,
    PRIMARY KEY (service, shard, recorded_at)
);

CREATE TABLE deliveries (
    property TEXT, gaming_day DATE, version INTEGER NOT NULL, manifest TEXT NOT NULL,
    PRIMARY KEY (property, gaming_day)
);
