CREATE TABLE counts (
    property TEXT, "table" TEXT, sequence BIGINT, at TIMESTAMPTZ NOT NULL, gaming_day DATE NOT NULL,
    shift TEXT NOT NULL, purpose TEXT NOT NULL, counted_by TEXT NOT NULL, observed_by TEXT NOT NULL,
    cents BIGINT NOT NULL, contents JSONB NOT NULL, card_reader BOOLEAN, dice BOOLEAN,
    begins_day DATE, begins_shift TEXT, game TEXT,
    PRIMARY KEY (property, "table", sequence),
    CONSTRAINT purpose_is_known CHECK (purpose IN ('opener', 'closer', 'shift', 'drop', 'spot', 'carried'))
);
CREATE INDEX counts_in_order ON counts (property, "table", at, sequence);
CREATE INDEX counts_of_day ON counts (property, gaming_day);

CREATE TABLE pit_events (
    source TEXT, sequence BIGINT, last BIGINT NOT NULL, desk BIGINT NOT NULL, revision BIGINT NOT NULL,
    shard BIGINT, seq BIGINT, changes BIGINT, gaming_day DATE, voided_shard BIGINT, voided_seq BIGINT,
    PRIMARY KEY (source, sequence)
);
CREATE INDEX pit_events_of_day ON pit_events (source, gaming_day, sequence);

CREATE TABLE brought_forward (property TEXT, "table" TEXT, cents BIGINT NOT NULL, PRIMARY KEY (property, "table"));

CREATE TABLE movements (
    shard BIGINT, seq BIGINT, property TEXT NOT NULL, "table" TEXT NOT NULL, movement TEXT NOT NULL,
    cause TEXT NOT NULL, at TIMESTAMPTZ NOT NULL, gaming_day DATE NOT NULL, cents BIGINT NOT NULL,
    rounds BIGINT NOT NULL, contents JSONB, ref TEXT, revision BIGINT,
    PRIMARY KEY (shard, seq),
    CONSTRAINT movement_is_permitted CHECK (
        movement IN ('cash', 'counter_check', 'wager', 'change', 'transfer', 'vigorish'))
);
CREATE INDEX movements_in_order ON movements (property, "table", at) INCLUDE (cause, cents, rounds, contents);
CREATE INDEX movements_of_pieces ON movements (property, "table", at) WHERE contents IS NOT NULL;
CREATE INDEX movements_into_boxes ON movements (property, "table", at) INCLUDE (cause, cents)
    WHERE cause IN ('currency', 'counter_check');
CREATE INDEX movements_of_ref ON movements (property, "table", ref);
CREATE INDEX movements_of_check ON movements (property, ref) WHERE cause = 'counter_check';

CREATE INDEX movements_of_checks ON movements (property, gaming_day) WHERE cause = 'counter_check';

CREATE TABLE moved (
    property TEXT, "table" TEXT, hour TIMESTAMPTZ, cause TEXT, shard INTEGER, cents BIGINT NOT NULL,
    rounds BIGINT NOT NULL, unknown BIGINT NOT NULL, coupons BIGINT NOT NULL,
    PRIMARY KEY (property, "table", hour, cause, shard)
);
-- What moved at a table after one moment and up to another one, by cause: whole hours, and what lies at their ends.
CREATE FUNCTION moved_between(of_property TEXT, of_table TEXT, after TIMESTAMPTZ, until TIMESTAMPTZ)
RETURNS TABLE (cause TEXT, cents BIGINT, rounds BIGINT, unknown BIGINT, coupons BIGINT) LANGUAGE sql STABLE AS $$
    SELECT h.cause, h.cents, h.rounds, h.unknown, h.coupons FROM table_inventory.moved h
    WHERE h.property = of_property AND h."table" = of_table
      AND h.hour >= date_trunc('hour', after, 'UTC') + interval '1 hour' AND h.hour < date_trunc('hour', until, 'UTC')
    UNION ALL
    SELECT m.cause, m.cents, m.rounds,
           CASE WHEN m.contents IS NOT NULL OR m.cents = 0 THEN 0 WHEN m.rounds < 0 THEN -1 ELSE 1 END,
           CAST(m.cause = 'coupon' AS integer)
    FROM table_inventory.movements m
    WHERE m.property = of_property AND m."table" = of_table
      AND m.at > after AND m.at < date_trunc('hour', after, 'UTC') + interval '1 hour' AND m.at <= until
    UNION ALL
    SELECT m.cause, m.cents, m.rounds,
           CASE WHEN m.contents IS NOT NULL OR m.cents = 0 THEN 0 WHEN m.rounds < 0 THEN -1 ELSE 1 END,
           CAST(m.cause = 'coupon' AS integer)
    FROM table_inventory.movements m
    WHERE m.property = of_property AND m."table" = of_table AND m.at <= until AND m.at >= greatest(
        date_trunc('hour', after, 'UTC') + interval '1 hour', date_trunc('hour', until, 'UTC'))
$$;

CREATE TABLE results (
    shard BIGINT, seq BIGINT, property TEXT NOT NULL, "table" TEXT NOT NULL, at TIMESTAMPTZ NOT NULL,
    results BIGINT NOT NULL,
    PRIMARY KEY (shard, seq)
);
CREATE INDEX results_in_order ON results (property, "table", at);

CREATE TABLE requests (
    property TEXT, request BIGINT, slip TEXT NOT NULL, "table" TEXT NOT NULL, shift TEXT NOT NULL,
    requested_by TEXT NOT NULL, gaming_day DATE NOT NULL, contents JSONB NOT NULL, requested_at TIMESTAMPTZ NOT NULL,
    withdrawn_by TEXT, withdrawal_reason TEXT, withdrawn_at TIMESTAMPTZ,
    PRIMARY KEY (property, request)
);

CREATE TABLE slips (
    property TEXT, slip TEXT, number BIGINT, request BIGINT, "table" TEXT, shift TEXT, gaming_day DATE,
    contents JSONB, received_contents JSONB, returned JSONB, cents BIGINT, received_cents BIGINT, requested_by TEXT,
    prepared_by TEXT, surrendered_by TEXT, carried_by TEXT, received_by TEXT, observed_by TEXT, voided_by TEXT,
    void_reason TEXT, requested_at TIMESTAMPTZ, prepared_at TIMESTAMPTZ, carried_at TIMESTAMPTZ,
    received_at TIMESTAMPTZ, voided_at TIMESTAMPTZ,
    PRIMARY KEY (property, slip, number),
    CONSTRAINT one_slip_a_request UNIQUE (property, request),
    CONSTRAINT slip_is_known CHECK (slip IN ('fill', 'credit')),
    CONSTRAINT received_or_void CHECK (received_at IS NULL OR voided_at IS NULL),
    CONSTRAINT void_after_it_was_carried CHECK (carried_at IS NULL OR voided_at IS NULL OR returned <> '[]')
);
CREATE INDEX slips_of_day ON slips (property, gaming_day);

CREATE TABLE manual_slips (
    property TEXT, slip TEXT, number BIGINT, gaming_day DATE NOT NULL, entered_by TEXT NOT NULL,
    reason TEXT NOT NULL, entered_at TIMESTAMPTZ NOT NULL, void BOOLEAN NOT NULL, "table" TEXT, cents BIGINT,
    PRIMARY KEY (property, slip, number)
);
CREATE INDEX manual_slips_of_day ON manual_slips (property, gaming_day);

CREATE TABLE boxes (
    property TEXT, "table" TEXT, exchange BIGINT, box TEXT NOT NULL, shift TEXT NOT NULL, placed_box TEXT,
    gaming_day DATE NOT NULL, removed_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (property, "table", exchange)
);
CREATE INDEX boxes_in_order ON boxes (property, "table", removed_at);
CREATE INDEX boxes_placed ON boxes (property, placed_box);
CREATE INDEX boxes_of_day ON boxes (property, gaming_day);
CREATE INDEX boxes_by_number ON boxes (property, lower(box COLLATE "C"), removed_at);

CREATE TABLE transports (
    property TEXT, "table" TEXT, sequence BIGINT, box TEXT NOT NULL, at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (property, "table", sequence)
);

CREATE TABLE drop_counts (
    property TEXT, count BIGINT, gaming_day DATE NOT NULL, opened_by TEXT NOT NULL, opened_at TIMESTAMPTZ NOT NULL,
    concluded_by TEXT, concluded_at TIMESTAMPTZ,
    PRIMARY KEY (property, count)
);
CREATE INDEX drop_counts_of_day ON drop_counts (property, gaming_day);

CREATE TABLE counted_boxes (
    property TEXT, "table" TEXT, exchange BIGINT, count BIGINT NOT NULL, box TEXT NOT NULL, shift TEXT NOT NULL,
    gaming_day DATE NOT NULL, figures JSONB NOT NULL, turns JSONB NOT NULL, currency_cents BIGINT NOT NULL,
    counter_checks_cents BIGINT NOT NULL, coupons_cents BIGINT NOT NULL, rake_cents BIGINT,
    PRIMARY KEY (property, "table", exchange)
);
CREATE INDEX counted_boxes_of_count ON counted_boxes (property, count);
CREATE INDEX counted_boxes_of_day ON counted_boxes (property, gaming_day);

CREATE TABLE commitments (
    property TEXT, count BIGINT, "table" TEXT, exchange BIGINT, turn BIGINT, counted_by TEXT NOT NULL,
    commitment TEXT NOT NULL, shard INTEGER NOT NULL, seq BIGINT NOT NULL,
    PRIMARY KEY (property, count, "table", exchange, turn)
);

CREATE TABLE sealed_counts (
    property TEXT, count BIGINT, "table" TEXT, exchange BIGINT, turn BIGINT, counted_by TEXT NOT NULL,
    salt TEXT NOT NULL, figures JSONB NOT NULL,
    PRIMARY KEY (property, count, "table", exchange, turn),
    CONSTRAINT nobody_counts_twice UNIQUE (property, count, "table", exchange, counted_by)
);

CREATE TABLE variance_cases (
    property TEXT, "table" TEXT, variance TEXT, number BIGINT, gaming_day DATE NOT NULL, owner TEXT NOT NULL,
    owned_at TIMESTAMPTZ NOT NULL, resolved_cents BIGINT, resolved_by_instrument JSONB, resolved_at TIMESTAMPTZ,
    conclusion TEXT,
    PRIMARY KEY (property, "table", variance, number)
);

CREATE TABLE alarm_cases (
    property TEXT, alarm TEXT, owner TEXT NOT NULL, named_by TEXT NOT NULL, owned_at TIMESTAMPTZ NOT NULL,
    conclusion TEXT, resolved_at TIMESTAMPTZ,
    PRIMARY KEY (property, alarm)
);

CREATE TABLE adjustments (
    property TEXT, gaming_day DATE, adjustment BIGINT, "table" TEXT NOT NULL, shift TEXT NOT NULL,
    figure TEXT NOT NULL, reason TEXT NOT NULL, day_status TEXT NOT NULL, entered_by TEXT NOT NULL,
    status TEXT NOT NULL, cents BIGINT NOT NULL, entered_at TIMESTAMPTZ NOT NULL, approved_by TEXT, rejected_by TEXT,
    rejection_reason TEXT, approved_at TIMESTAMPTZ, rejected_at TIMESTAMPTZ,
    PRIMARY KEY (property, gaming_day, adjustment),
    CONSTRAINT approved_by_somebody_else CHECK (approved_by <> entered_by),
    CONSTRAINT decided_once CHECK (approved_by IS NULL OR rejected_by IS NULL)
);

CREATE TABLE read_until (topic TEXT, partition BIGINT, until TIMESTAMPTZ, signature BYTEA, PRIMARY KEY (topic, partition));

CREATE TABLE check_steps (
    property TEXT, step BIGINT, serial TEXT, what TEXT NOT NULL, shift TEXT NOT NULL, by TEXT NOT NULL,
    gaming_day DATE NOT NULL, cents BIGINT NOT NULL, at TIMESTAMPTZ NOT NULL, "table" TEXT, drawer TEXT, paid_in TEXT, undoes BIGINT,
    on_behalf_of JSONB,
    entered_at TIMESTAMPTZ, late_reason TEXT, check_write_off BIGINT, recovery_cents BIGINT,
    PRIMARY KEY (property, step, serial),
    CONSTRAINT what_is_known CHECK (what IN ('redeemed', 'voided', 'returned', 'replaced', 'cleared', 'collection_begun',
        'written_off', 'recovered', 'recovery_voided', 'recovery_returned'))
);
CREATE UNIQUE INDEX redemption_undone_once ON check_steps (property, undoes);
CREATE INDEX steps_of_check ON check_steps (property, serial);

CREATE TABLE patron_checks (
    property TEXT, serial TEXT, patron TEXT NOT NULL, "table" TEXT NOT NULL, shift TEXT NOT NULL,
    prepared_by TEXT NOT NULL, gaming_day DATE NOT NULL, cents BIGINT NOT NULL, limit_cents BIGINT NOT NULL,
    outstanding_cents BIGINT NOT NULL, prepared_at TIMESTAMPTZ NOT NULL, voided_by TEXT, voided_at TIMESTAMPTZ,
    PRIMARY KEY (property, serial)
);
CREATE INDEX patron_checks_of_patron ON patron_checks (property, patron);

CREATE TABLE check_write_offs (
    property TEXT, check_write_off BIGINT, serial TEXT NOT NULL, write_off_kind TEXT NOT NULL, reason TEXT NOT NULL,
    entered_by TEXT NOT NULL, status TEXT NOT NULL, "table" TEXT, drawer TEXT, cents BIGINT NOT NULL,
    recovered_cents BIGINT NOT NULL, entered_at TIMESTAMPTZ NOT NULL, approved_by TEXT, rejected_by TEXT,
    rejection_reason TEXT, approved_at TIMESTAMPTZ, rejected_at TIMESTAMPTZ,
    PRIMARY KEY (property, check_write_off),
    CONSTRAINT check_write_off_approved_by_somebody_else CHECK (approved_by <> entered_by),
    CONSTRAINT check_write_off_decided_once CHECK (approved_by IS NULL OR rejected_by IS NULL),
    CONSTRAINT recovered_at_most_once CHECK (recovered_cents <= cents)
);
CREATE INDEX check_write_offs_of_check ON check_write_offs (property, serial);

CREATE TABLE credit_lines (
    property TEXT, patron TEXT, limit_cents BIGINT NOT NULL, temporary_cents BIGINT, until DATE, suspended_for TEXT,
    changed_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (property, patron)
);

CREATE TABLE credit_line_requests (
    property TEXT, request BIGINT, patron TEXT NOT NULL, change TEXT NOT NULL, reason TEXT NOT NULL,
    requested_by TEXT NOT NULL, limit_cents BIGINT NOT NULL, until DATE, requested_at TIMESTAMPTZ NOT NULL,
    verification TEXT, verified_by TEXT, decline_reason TEXT, declined_by TEXT, verified_at TIMESTAMPTZ,
    approved_at TIMESTAMPTZ, granted_at TIMESTAMPTZ, declined_at TIMESTAMPTZ, approvals BIGINT, approved_by JSONB,
    PRIMARY KEY (property, request),
    CONSTRAINT credit_line_decided_once CHECK (granted_at IS NULL OR declined_at IS NULL)
);
CREATE INDEX credit_line_requests_of_patron ON credit_line_requests (property, patron);

CREATE TABLE cage_movements (
    property TEXT, number BIGINT, gaming_day DATE NOT NULL, shift TEXT NOT NULL, "window" TEXT NOT NULL,
    patron TEXT NOT NULL, kind TEXT NOT NULL, medium TEXT NOT NULL, direction TEXT NOT NULL, by TEXT NOT NULL, cents BIGINT NOT NULL,
    at TIMESTAMPTZ NOT NULL, voids BIGINT, entered_at TIMESTAMPTZ, late_reason TEXT, location TEXT,
    purpose TEXT, foreign_country TEXT, "table" TEXT, on_behalf_of JSONB, instrument JSONB,
    PRIMARY KEY (property, number),
    CONSTRAINT void_once UNIQUE (property, voids)
);
CREATE INDEX cage_movements_of_day ON cage_movements (property, gaming_day);

CREATE TABLE cage_book (
    property TEXT, location TEXT, cause TEXT, shard INTEGER, cents BIGINT NOT NULL,
    PRIMARY KEY (property, location, cause, shard)
);

CREATE TABLE cage_transfers (
    property TEXT, transfer BIGINT, gaming_day DATE NOT NULL, giver TEXT NOT NULL, receiver TEXT NOT NULL,
    issued_by TEXT NOT NULL, status TEXT NOT NULL, contents JSONB NOT NULL, issued_at TIMESTAMPTZ NOT NULL,
    received_by TEXT, returned_by TEXT, return_reason TEXT, received_at TIMESTAMPTZ, returned_at TIMESTAMPTZ,
    issued_seq BIGINT NOT NULL, ended_seq BIGINT,
    PRIMARY KEY (property, transfer),
    CONSTRAINT transfer_received_by_somebody_else CHECK (received_by <> issued_by),
    CONSTRAINT transfer_ended_once CHECK (received_by IS NULL OR returned_by IS NULL)
);
CREATE INDEX cage_transfers_of_status ON cage_transfers (property, status);
CREATE INDEX cage_transfers_as_issued ON cage_transfers (property, issued_seq);
CREATE INDEX cage_transfers_as_ended ON cage_transfers (property, ended_seq);

CREATE TABLE cage_counts (
    property TEXT, count BIGINT, gaming_day DATE NOT NULL, location TEXT NOT NULL, cashier TEXT NOT NULL,
    next_cashier TEXT, counted_by TEXT NOT NULL, status TEXT NOT NULL, contents JSONB NOT NULL, book JSONB NOT NULL,
    counted_at TIMESTAMPTZ NOT NULL, verified_by TEXT, over_short_reason TEXT, rejected_by TEXT, rejection_reason TEXT,
    verified_at TIMESTAMPTZ, rejected_at TIMESTAMPTZ, before_cents BIGINT, counted_cents BIGINT,
    over_short_cents BIGINT, imprest_cents BIGINT, flows JSONB, seq BIGINT NOT NULL,
    PRIMARY KEY (property, count),
    CONSTRAINT cage_count_verified_by_somebody_else CHECK (verified_by <> counted_by),
    CONSTRAINT cage_count_rejected_by_somebody_else CHECK (rejected_by <> counted_by),
    CONSTRAINT cage_count_decided_once CHECK (verified_by IS NULL OR rejected_by IS NULL)
);
CREATE INDEX cage_counts_of_location ON cage_counts (property, location, count);

CREATE TABLE chips_in_service (
    property TEXT, revision BIGINT, gaming_day DATE NOT NULL, source TEXT NOT NULL, entered_by TEXT NOT NULL,
    status TEXT NOT NULL, contents JSONB NOT NULL, before JSONB, stated_cents BIGINT, before_revision BIGINT,
    before_stated_cents BIGINT, put_in_since_cents BIGINT, in_service_cents BIGINT, entered_at TIMESTAMPTZ NOT NULL,
    approved_by TEXT, rejected_by TEXT, rejection_reason TEXT, approved_at TIMESTAMPTZ, rejected_at TIMESTAMPTZ,
    PRIMARY KEY (property, revision),
    CONSTRAINT chips_in_service_approved_by_somebody_else CHECK (approved_by <> entered_by),
    CONSTRAINT chips_in_service_decided_once CHECK (approved_by IS NULL OR rejected_by IS NULL)
);

CREATE TABLE winners (
    shard BIGINT, seq BIGINT, property TEXT NOT NULL, "table" TEXT NOT NULL, wager TEXT NOT NULL,
    gaming_day DATE NOT NULL, round_id TEXT, won_at TIMESTAMPTZ, seat BIGINT NOT NULL,
    federal_change_cents BIGINT NOT NULL, state_change_cents BIGINT NOT NULL, local_change_cents BIGINT NOT NULL,
    PRIMARY KEY (shard, seq)
);
CREATE INDEX winners_of_round ON winners (property, "table", gaming_day, round_id);

CREATE TABLE investigations (
    property TEXT, investigation BIGINT, what TEXT NOT NULL, subject TEXT NOT NULL, month TEXT NOT NULL,
    found TEXT NOT NULL, owner TEXT NOT NULL, opened_by TEXT NOT NULL, opened_at TIMESTAMPTZ NOT NULL,
    conclusion TEXT, concluded_at TIMESTAMPTZ,
    PRIMARY KEY (property, investigation)
);
CREATE INDEX investigations_of_month ON investigations (property, month);

CREATE TABLE contests (
    property TEXT, gaming_day DATE, contest TEXT, revision BIGINT, fees_cents BIGINT NOT NULL,
    prizes_cents BIGINT NOT NULL, before JSONB, reason TEXT NOT NULL, entered_by TEXT NOT NULL, status TEXT NOT NULL,
    entered_at TIMESTAMPTZ NOT NULL, approved_by TEXT, rejected_by TEXT, rejection_reason TEXT,
    approved_at TIMESTAMPTZ, rejected_at TIMESTAMPTZ,
    PRIMARY KEY (property, gaming_day, contest, revision),
    CONSTRAINT contest_approved_by_somebody_else CHECK (approved_by <> entered_by),
    CONSTRAINT contest_decided_once CHECK (approved_by IS NULL OR rejected_by IS NULL)
);

CREATE TABLE tip_hours (
    property TEXT, last_day DATE, revision BIGINT, first_day DATE NOT NULL, pool JSONB NOT NULL, hours JSONB NOT NULL,
    reason TEXT NOT NULL, entered_by TEXT NOT NULL, status TEXT NOT NULL, entered_at TIMESTAMPTZ NOT NULL,
    approved_by TEXT, rejected_by TEXT, rejection_reason TEXT, approved_at TIMESTAMPTZ, rejected_at TIMESTAMPTZ,
    PRIMARY KEY (property, last_day, revision),
    CONSTRAINT tip_hours_approved_by_somebody_else CHECK (approved_by <> entered_by),
    CONSTRAINT tip_hours_decided_once CHECK (approved_by IS NULL OR rejected_by IS NULL)
);

CREATE TABLE tax_invoices (
    property TEXT, invoice TEXT, revision BIGINT, first_day DATE NOT NULL, last_day DATE NOT NULL,
    received_on DATE NOT NULL, payee TEXT NOT NULL, reason TEXT NOT NULL, entered_by TEXT NOT NULL,
    status TEXT NOT NULL, cents BIGINT NOT NULL, entered_at TIMESTAMPTZ NOT NULL, approved_by TEXT, rejected_by TEXT,
    rejection_reason TEXT, approved_at TIMESTAMPTZ, rejected_at TIMESTAMPTZ,
    PRIMARY KEY (property, invoice, revision),
    CONSTRAINT tax_invoice_approved_by_somebody_else CHECK (approved_by <> entered_by),
    CONSTRAINT tax_invoice_decided_once CHECK (approved_by IS NULL OR rejected_by IS NULL)
);
CREATE INDEX tax_invoices_of_return ON tax_invoices (property, last_day);
CREATE INDEX tax_invoices_by_end ON tax_invoices (reverse(lower(invoice COLLATE "C")), property);

CREATE TABLE counter_checks (
    property TEXT, serial TEXT, "table" TEXT, number BIGINT, drawer TEXT, cents BIGINT NOT NULL,
    first_issued_at TIMESTAMPTZ,
    PRIMARY KEY (property, serial, "table", number),
    CONSTRAINT serial_used_once UNIQUE (property, serial) DEFERRABLE
);
CREATE INDEX counter_checks_by_end ON counter_checks (reverse(lower(serial COLLATE "C")), property);
CREATE INDEX counter_checks_of_drawer ON counter_checks (property, drawer);

CREATE TABLE write_offs (
    property TEXT, write_off BIGINT, "table" TEXT NOT NULL, box TEXT NOT NULL, shift TEXT NOT NULL, which TEXT NOT NULL,
    reason TEXT NOT NULL, entered_by TEXT NOT NULL, status TEXT NOT NULL, gaming_day DATE NOT NULL,
    exchange BIGINT NOT NULL, entered_at TIMESTAMPTZ NOT NULL, approved_by TEXT, rejected_by TEXT,
    rejection_reason TEXT, approved_at TIMESTAMPTZ, rejected_at TIMESTAMPTZ,
    PRIMARY KEY (property, write_off),
    CONSTRAINT which_is_known CHECK (which IN ('removed', 'placed')),
    CONSTRAINT write_off_approved_by_somebody_else CHECK (approved_by <> entered_by),
    CONSTRAINT write_off_decided_once CHECK (approved_by IS NULL OR rejected_by IS NULL)
);
CREATE INDEX write_offs_of_box ON write_offs (property, "table", exchange);

CREATE TABLE pit_changes (
    property TEXT, change BIGINT, "table" TEXT NOT NULL, event TEXT NOT NULL, reason TEXT NOT NULL,
    proposed_by TEXT NOT NULL, status TEXT NOT NULL, gaming_day DATE NOT NULL, voids BOOLEAN NOT NULL, sequence BIGINT NOT NULL,
    replaces BIGINT NOT NULL, seq BIGINT NOT NULL, shard INTEGER NOT NULL, proposed_at TIMESTAMPTZ NOT NULL,
    approved_by TEXT, rejected_by TEXT, rejection_reason TEXT, approved_at TIMESTAMPTZ, rejected_at TIMESTAMPTZ,
    place BIGINT,
    PRIMARY KEY (property, change),
    CONSTRAINT change_approved_by_somebody_else CHECK (approved_by <> proposed_by),
    CONSTRAINT change_decided_once CHECK (approved_by IS NULL OR rejected_by IS NULL)
);
CREATE INDEX pit_changes_of_event ON pit_changes (property, "table", sequence);
CREATE UNIQUE INDEX pit_changes_in_order ON pit_changes (property, "table", place);

CREATE TABLE pit_change_outcomes (
    property TEXT, change BIGINT, effect TEXT NOT NULL,
    PRIMARY KEY (property, change)
);

CREATE TABLE touched (
    property TEXT, "table" TEXT, gaming_day DATE, shard INTEGER, seq BIGINT NOT NULL, recorded_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (property, "table", gaming_day, shard)
);
CREATE INDEX touched_in_order ON touched (shard, seq);

CREATE TABLE wins_stated (
    property TEXT, "table" TEXT, gaming_day DATE, shift TEXT, revision BIGINT NOT NULL, figures JSONB NOT NULL,
    missing JSONB NOT NULL, counts JSONB NOT NULL, boxes JSONB NOT NULL, times JSONB NOT NULL,
    stated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (property, "table", gaming_day, shift)
);
CREATE INDEX wins_stated_of_day ON wins_stated (property, gaming_day);

CREATE TABLE rating_steps (
    shard BIGINT, seq BIGINT, property TEXT NOT NULL, rating TEXT NOT NULL, step TEXT NOT NULL, gaming_day DATE NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL, opening BIGINT, said JSONB NOT NULL,
    PRIMARY KEY (shard, seq)
);
CREATE INDEX rating_steps_of_rating ON rating_steps (property, rating);
CREATE INDEX rating_steps_of_day ON rating_steps (property, gaming_day, rating);
CREATE INDEX rating_steps_by_end ON rating_steps (reverse(lower(rating COLLATE "C")), property);
CREATE INDEX rating_openings ON rating_steps (property, opening) WHERE opening IS NOT NULL;

CREATE TABLE ratings_stated (
    property TEXT, rating TEXT, opened_at TIMESTAMPTZ, closed_at TIMESTAMPTZ, stated_at TIMESTAMPTZ NOT NULL,
    said JSONB NOT NULL,
    PRIMARY KEY (property, rating)
);
CREATE INDEX ratings_stated_in_order ON ratings_stated (property, closed_at);

CREATE TABLE upstream_gaps (
    source TEXT, first BIGINT, is_open BOOLEAN, last BIGINT NOT NULL, property TEXT,
    PRIMARY KEY (source, first, is_open)
);

CREATE TABLE upstream_quarantine (
    shard INTEGER, seq BIGINT, property TEXT, source TEXT, sequence BIGINT, reason TEXT, is_closed BOOLEAN NOT NULL,
    is_mended BOOLEAN NOT NULL,
    PRIMARY KEY (shard, seq)
);
CREATE INDEX upstream_quarantine_open ON upstream_quarantine (property) WHERE NOT is_closed;

CREATE TABLE days (
    property TEXT, gaming_day DATE, status TEXT NOT NULL, preliminary_by TEXT NOT NULL,
    preliminary_at TIMESTAMPTZ NOT NULL, excused JSONB NOT NULL, audited_by TEXT, final_by TEXT, hash TEXT,
    audited_at TIMESTAMPTZ, final_at TIMESTAMPTZ, report JSONB,
    PRIMARY KEY (property, gaming_day),
    CONSTRAINT audited_by_somebody_else CHECK (audited_by <> preliminary_by)
);

CREATE TABLE equipment (
    property TEXT, "table" TEXT, sequence BIGINT, "check" TEXT NOT NULL, by TEXT NOT NULL, at TIMESTAMPTZ NOT NULL,
    gaming_day DATE NOT NULL, data JSONB NOT NULL,
    PRIMARY KEY (property, "table", sequence)
);
CREATE INDEX equipment_in_order ON equipment (property, "table", "check", at);
