CREATE TABLE house_edges (
    submission TEXT, wager TEXT, recorded_at TIMESTAMPTZ NOT NULL, offered TEXT NOT NULL, paytable TEXT, returns JSON,
    reason TEXT, house_edge TEXT, standard_error TEXT, counted TEXT, counted_with TEXT, lacks TEXT,
    stated_percent TEXT, stated_source TEXT, bonus_lines TEXT[] NOT NULL,
    PRIMARY KEY (submission, wager),
    CONSTRAINT returns_or_reason CHECK (num_nonnulls(returns, reason) = 1),
    CONSTRAINT known_or_lacking CHECK (num_nonnulls(returns, house_edge, lacks) = 1),
    CONSTRAINT counted_as_played CHECK (num_nonnulls(house_edge, standard_error, counted, counted_with) IN (0, 4)),
    CONSTRAINT stated_with_source CHECK (num_nonnulls(stated_percent, stated_source) IN (0, 2))
);

CREATE TABLE exceptions (
    service TEXT, shard INTEGER, seq BIGINT, hash TEXT NOT NULL, recorded_at TIMESTAMPTZ NOT NULL, number INTEGER,
    kind TEXT NOT NULL, since TIMESTAMPTZ NOT NULL, stream TEXT, first BIGINT, last BIGINT, property TEXT,
    table_name TEXT, game TEXT, gaming_day DATE, round_id TEXT, topic TEXT, partition INTEGER, "offset" BIGINT,
    reason TEXT, entered_by TEXT, approved_by TEXT, revision INTEGER, code TEXT, seat INTEGER, paragraph TEXT,
    detail TEXT,
    PRIMARY KEY (service, shard, seq, number)
);
CREATE INDEX exceptions_of_day ON exceptions (property, gaming_day);
CREATE INDEX exceptions_of_input ON exceptions (property) WHERE gaming_day IS NULL;
CREATE INDEX exceptions_of_rounds ON exceptions (property, table_name, round_id) WHERE kind = 'reversed';

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
    event TEXT, property TEXT, table_name TEXT, gaming_day DATE, occurred_at TIMESTAMPTZ NOT NULL, data JSONB NOT NULL,
    contents_cents BIGINT,
    moved_cents BIGINT GENERATED ALWAYS AS (
        CASE WHEN CASE kind WHEN 'pit.voided' THEN data ->> 'event' ELSE event END
            NOT IN ('vigorish.collected', 'vigorish.returned', 'chips.changed')
        THEN CAST(data #>> '{moved,cents}' AS bigint) END) STORED,
    moved_by TEXT GENERATED ALWAYS AS (
        CASE CASE kind WHEN 'pit.voided' THEN data ->> 'event' ELSE event END
        WHEN 'chips.sold' THEN data #>> '{data,instrument}'
        ELSE CASE kind WHEN 'pit.voided' THEN data ->> 'event' ELSE event END END) STORED,
    slip TEXT GENERATED ALWAYS AS (
        CASE
        WHEN kind = 'slip.requested' THEN (data ->> 'slip') || '/request/' || (data ->> 'request')
        WHEN kind LIKE 'slip.%' THEN (data ->> 'slip') || '/' || (data ->> 'number')
        WHEN kind LIKE 'manual_slip.%' THEN (data ->> 'slip') || '/paper/' || (data ->> 'number')
        WHEN event IN ('fill.carried', 'fill.received', 'credit.carried')
            THEN split_part(event, '.', 1) || '/' || (data #>> '{data,number}') END) STORED,
    slip_request TEXT GENERATED ALWAYS AS (
        CASE kind WHEN 'slip.prepared' THEN (data ->> 'slip') || '/request/' || (data ->> 'request') END) STORED,
    check_serial TEXT GENERATED ALWAYS AS (
        CASE WHEN event = 'counter_check.issued' THEN data #>> '{data,serial}'
        WHEN kind IN ('counter_check.prepared', 'counter_check.replaced') THEN data ->> 'serial' END) STORED,
    act TEXT GENERATED ALWAYS AS (
        CASE WHEN kind = 'pit.recorded' THEN (data ->> 'sequence') || '/' || coalesce(data ->> 'revision', '1')
        WHEN kind IN ('vigorish.waiver', 'vigorish.return') THEN data ->> 'event' END) STORED,
    voids TEXT GENERATED ALWAYS AS (
        CASE kind WHEN 'pit.voided' THEN (data ->> 'sequence') || '/' || (data ->> 'revision')
        WHEN 'vigorish.voided' THEN data ->> 'event' END) STORED,
    check_cents BIGINT GENERATED ALWAYS AS (
        CAST(CASE WHEN event = 'counter_check.issued' THEN data #>> '{data,cents}'
        WHEN kind IN ('counter_check.prepared', 'counter_check.replaced') THEN data ->> 'cents' END AS bigint)) STORED,
    PRIMARY KEY (service, shard, seq)
);
CREATE INDEX facts_of_property ON facts (property, kind, gaming_day);
CREATE INDEX facts_of_pit ON facts (property, event, gaming_day) WHERE event IS NOT NULL;
CREATE INDEX facts_of_table ON facts (property, table_name, event, occurred_at) WHERE event IS NOT NULL;
CREATE INDEX facts_of_other_days ON facts (property, gaming_day)
    WHERE kind = 'pit.recorded' AND (data ->> 'claimed_day') IS NOT NULL;
CREATE INDEX facts_moved ON facts (property, table_name, occurred_at) INCLUDE (recorded_at, moved_cents, moved_by)
    WHERE moved_cents <> 0;
CREATE INDEX facts_sold ON facts (property, gaming_day)
    INCLUDE (occurred_at, recorded_at, table_name, moved_by, moved_cents)
    WHERE moved_by IN ('currency', 'counter_check.issued') AND moved_cents <> 0;
CREATE INDEX facts_of_slips ON facts (property, gaming_day)
    INCLUDE (service, shard, seq, recorded_at, kind, event, table_name, slip, slip_request, contents_cents, act)
    WHERE slip IS NOT NULL;
CREATE INDEX facts_of_slip ON facts (property, slip) WHERE slip IS NOT NULL;
CREATE INDEX facts_of_request ON facts (property, slip_request) WHERE slip_request IS NOT NULL;
CREATE INDEX facts_of_checks ON facts (property, gaming_day)
    INCLUDE (service, shard, seq, recorded_at, event, table_name, check_serial, check_cents, act)
    WHERE check_serial IS NOT NULL;
CREATE INDEX facts_of_voids ON facts (property, table_name, voids) INCLUDE (service, recorded_at)
    WHERE voids IS NOT NULL;
CREATE INDEX facts_of_check ON facts (property, check_serial) WHERE check_serial IS NOT NULL;

CREATE TABLE documents (
    service TEXT, shard INTEGER, seq BIGINT, hash TEXT NOT NULL, recorded_at TIMESTAMPTZ NOT NULL, kind TEXT NOT NULL,
    event TEXT, property TEXT, table_name TEXT, gaming_day DATE, occurred_at TIMESTAMPTZ NOT NULL, data JSONB NOT NULL,
    PRIMARY KEY (service, shard, seq)
);
CREATE INDEX documents_of_property ON documents (property, kind);

CREATE TABLE amounts (
    service TEXT, shard INTEGER, seq BIGINT, recorded_at TIMESTAMPTZ NOT NULL, number INTEGER,
    property TEXT NOT NULL, gaming_day DATE NOT NULL, table_name TEXT NOT NULL, shift TEXT NOT NULL, item TEXT NOT NULL,
    measure TEXT NOT NULL, value NUMERIC NOT NULL, closed_at TIMESTAMPTZ,
    PRIMARY KEY (service, shard, seq, number)
);
CREATE INDEX amounts_of_day ON amounts (property, gaming_day, measure, recorded_at);
CREATE INDEX large_sales ON amounts (property, gaming_day, value) INCLUDE (recorded_at, service, shard, seq)
    WHERE measure = 'sold_for_currency_cents';
CREATE INDEX amounts_of_persons ON amounts (property, gaming_day, measure, item)
    INCLUDE (value, recorded_at, table_name, service, shard, seq)
    WHERE measure IN ('account_in_cents', 'account_out_cents', 'cage_in_cents', 'cage_out_cents',
        'instruments_in_cents', 'instruments_out_cents', 'patron_bought_cents', 'others_in_cents',
        'others_out_cents');

CREATE TABLE amount_days (
    gaming_day DATE, property TEXT, measure TEXT, table_name TEXT, shift TEXT, item TEXT, value NUMERIC NOT NULL,
    nothing BOOLEAN GENERATED ALWAYS AS (value = 0) STORED,
    PRIMARY KEY (gaming_day, property, measure, table_name, shift, item)
) WITH (fillfactor = 70);
CREATE INDEX amount_days_of_measure ON amount_days (property, measure, gaming_day) WHERE NOT nothing;
CREATE INDEX amount_days_of_persons ON amount_days (property, measure, gaming_day, item)
    WHERE measure IN ('account_in_cents', 'account_out_cents', 'cage_in_cents', 'cage_out_cents',
        'instruments_in_cents', 'instruments_out_cents', 'patron_bought_cents', 'others_in_cents',
        'others_out_cents');

CREATE TABLE rounds (
    shard INTEGER, seq BIGINT, recorded_at TIMESTAMPTZ NOT NULL, property TEXT NOT NULL, gaming_day DATE NOT NULL,
    table_name TEXT NOT NULL, game TEXT NOT NULL, shift TEXT NOT NULL, dealer TEXT NOT NULL, round_id TEXT NOT NULL,
    revision INTEGER NOT NULL, sign INTEGER NOT NULL, corrected BOOLEAN NOT NULL, version INTEGER NOT NULL,
    submission TEXT NOT NULL, opened_at TIMESTAMPTZ, closed_at TIMESTAMPTZ NOT NULL, chips_cents BIGINT NOT NULL,
    seats INTEGER NOT NULL,
    wagers TEXT[] NOT NULL,
    figures BIGINT[] NOT NULL, line_wagers TEXT[] NOT NULL, line_categories TEXT[] NOT NULL,
    line_figures BIGINT[] NOT NULL, stake_figures BIGINT[] NOT NULL,
    PRIMARY KEY (shard, seq)
);
CREATE INDEX rounds_of_table ON rounds (property, gaming_day, table_name, closed_at) INCLUDE (recorded_at, chips_cents, sign, opened_at);
CREATE INDEX rounds_recorded ON rounds (property, gaming_day, recorded_at);

CREATE TABLE won_lines (
    shard INTEGER, seq BIGINT, number INTEGER, recorded_at TIMESTAMPTZ NOT NULL, property TEXT NOT NULL,
    gaming_day DATE NOT NULL, table_name TEXT NOT NULL, game TEXT NOT NULL, regulation TEXT NOT NULL,
    round_id TEXT NOT NULL, revision INTEGER NOT NULL, seat INTEGER NOT NULL, wager TEXT NOT NULL, hand INTEGER,
    stake_cents BIGINT NOT NULL, winnings_cents BIGINT NOT NULL, stake_returned_cents BIGINT NOT NULL,
    moment TIMESTAMPTZ NOT NULL, paid_on DATE NOT NULL, account TEXT, small BOOLEAN NOT NULL,
    PRIMARY KEY (shard, seq, number)
);
CREATE INDEX won_lines_of_day ON won_lines (property, gaming_day) WHERE NOT small;
CREATE INDEX small_lines_of_account ON won_lines (property, account, gaming_day) WHERE small;
CREATE INDEX small_lines_of_round ON won_lines (property, round_id) WHERE small;

CREATE TABLE seat_wagers (
    shard INTEGER, seq BIGINT, seat INTEGER, wager TEXT, account TEXT, recorded_at TIMESTAMPTZ NOT NULL,
    property TEXT NOT NULL, gaming_day DATE NOT NULL, table_name TEXT NOT NULL, game TEXT NOT NULL, version INTEGER NOT NULL,
    submission TEXT NOT NULL, stakes INTEGER NOT NULL, handle_cents BIGINT NOT NULL, squared BIGINT NOT NULL,
    payout_cents BIGINT NOT NULL, funded_cents BIGINT NOT NULL,
    PRIMARY KEY (shard, seq, seat, wager)
);
CREATE INDEX seat_wagers_of_day ON seat_wagers (property, gaming_day);

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

CREATE TABLE dealer_days (
    gaming_day DATE, property TEXT, dealer TEXT, game TEXT, version INTEGER, submission TEXT, wager TEXT,
    handle_cents BIGINT NOT NULL, payout_cents BIGINT NOT NULL, vigorish_cents BIGINT NOT NULL, stakes BIGINT NOT NULL,
    squared NUMERIC NOT NULL,
    PRIMARY KEY (gaming_day, property, dealer, game, version, submission, wager)
);

CREATE TABLE play_days (
    gaming_day DATE, property TEXT, table_name TEXT, game TEXT, shift TEXT, version INTEGER, submission TEXT,
    posted BIGINT NOT NULL, corrected BIGINT NOT NULL, reversed BIGINT NOT NULL,
    PRIMARY KEY (gaming_day, property, table_name, game, shift, version, submission)
);

CREATE TABLE chip_hours (
    property TEXT, table_name TEXT, hour TIMESTAMPTZ, gaming_day DATE, chips_cents BIGINT NOT NULL,
    first_closed TIMESTAMPTZ NOT NULL, last_closed TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (property, table_name, hour, gaming_day)
);

CREATE TABLE pace_hours (
    gaming_day DATE, property TEXT, table_name TEXT, game TEXT, dealer TEXT, hour TIMESTAMPTZ,
    rounds BIGINT NOT NULL, seats BIGINT NOT NULL, handle_cents BIGINT NOT NULL,
    first_opened TIMESTAMPTZ, last_closed TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (gaming_day, property, table_name, game, dealer, hour)
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

CREATE TABLE read_until (
    topic TEXT, partition INTEGER, until TIMESTAMPTZ, signature BYTEA,
    PRIMARY KEY (topic, partition)
);

CREATE TABLE deliveries (
    property TEXT, gaming_day DATE, version INTEGER NOT NULL, manifest TEXT NOT NULL,
    as_of TIMESTAMPTZ NOT NULL, signature BYTEA,
    PRIMARY KEY (property, gaming_day)
);

CREATE TABLE evidence_days (
    property TEXT, as_of TIMESTAMPTZ, gaming_day DATE, added JSON NOT NULL, carried JSON NOT NULL, alarms JSON NOT NULL,
    counts JSON NOT NULL, number BIGINT NOT NULL DEFAULT 0, signature BYTEA,
    PRIMARY KEY (property, as_of, gaming_day)
);
