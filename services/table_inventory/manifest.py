"""The manifest of the table-inventory ledger."""

from services.table_inventory.api.access import (
    AMEND_RATINGS,
    APPROVE_CREDIT_LINES,
    APPROVE_DAYS,
    APPROVE_PIT_CHANGES,
    AUDIT_DAYS,
    CHANGE_PIT_EVENTS,
    COUNT_BOXES,
    PREPARE_CHECKS,
    PREPARE_SLIPS,
    RATE,
    REQUEST_CREDIT_LINES,
    REQUEST_SLIPS,
    RESOLVE_ALARMS,
    TRANSACT,
)
from services.table_inventory.api.routes import routes
from services.table_inventory.commands import (
    alarms,
    cage,
    check_collection,
    checks,
    chips_in_service,
    contests,
    counts,
    credit_lines,
    days,
    investigations,
    locations,
    pit_changes,
    prepared_checks,
    ratings,
    slips,
    tax_invoices,
    tips,
    variances,
    winners,
    write_offs,
)
from services.table_inventory.handlers import ApprovedProperties, PitEvents, RatingEvents, Settlements, Submissions
from services.table_inventory.projector import PROJECTOR
from services.table_inventory.queries.counts import compare_sealed_counts
from services.table_inventory.tables import journal, sealed_counts
from services.table_inventory.watch import watch
from shared.contracts.topics import INVENTORY, INVENTORY_ROUNDS, RATING_EVENTS, RATINGS, SETTLEMENTS
from shared.runtime.commands.command import Commands
from shared.runtime.service.manifest import Manifest

MANIFEST = Manifest(
    name="table-inventory",
    title="Table inventory: slips, drop counts, inventories, the win of § 601a.9, closing of gaming days",
    port=8104,
    roles=(
        *(APPROVE_DAYS, APPROVE_PIT_CHANGES, AUDIT_DAYS, CHANGE_PIT_EVENTS, COUNT_BOXES),
        *(PREPARE_SLIPS, REQUEST_SLIPS, RESOLVE_ALARMS, TRANSACT, RATE, AMEND_RATINGS),
        *(APPROVE_CREDIT_LINES, PREPARE_CHECKS, REQUEST_CREDIT_LINES),
    ),
    journal=journal,
    publishes=INVENTORY,
    apart={SETTLEMENTS.name: INVENTORY_ROUNDS, RATING_EVENTS.name: RATINGS, RATINGS.name: RATINGS},
    references=(ApprovedProperties, Submissions),  # read first: no record is refused for an unread property
    handlers=(PitEvents, Settlements, RatingEvents),
    commands=Commands().extended_with(
        *(desk.COMMANDS for desk in (slips, counts, variances, days, contests, checks, cage, locations, winners)),
        *(desk.COMMANDS for desk in (alarms, investigations, write_offs, pit_changes, ratings, tips, tax_invoices)),
        *(desk.COMMANDS for desk in (credit_lines, prepared_checks, check_collection, chips_in_service)),
    ),
    projector=PROJECTOR,
    checks={sealed_counts: compare_sealed_counts},
    routes=routes,
    watch=watch,
)
