"""The property document of the simulated floor, as filed by the licensee."""

from collections.abc import Sequence
from datetime import date, time, timedelta
from typing import Final

from loadtest.floor.counted_tables import CountedPlan, games_of
from loadtest.floor.floor_day import BEGINS, TIME_ZONE, initial_meters, opening
from loadtest.floor.game import TablePlan
from loadtest.floor.links import pool_of
from loadtest.floor.pit_items import STACKS
from loadtest.floor.pit_table import SHIFTS
from loadtest.floor.poker_tables import PokerPlan
from loadtest.floor.rated_play import rated_games
from shared.contracts.chips import PieceKind
from shared.contracts.properties import ChipSet, Filer, Plausibility, PropertyDocument, PropertyTable, Shift
from shared.jurisdictions import pack_of_regulation

PIT: Final = "main"
_PLAUSIBLE: Final = Plausibility(round_minutes_max=30, wager_max_cents=100_000_00)
_SHIFT_HOURS: Final = 8
_TEST_CODE: Final = "TBSATEST"
"""The transmitter control code that FinCEN assigns for test files."""


def property_document(
    property_name: str,
    plans: Sequence[TablePlan],
    gaming_day: date,
    begins: time = BEGINS,
    counted: Sequence[CountedPlan] = (),
    poker: Sequence[PokerPlan] = (),
) -> PropertyDocument:
    """Return the document of a property with these tables.

    The document takes effect on the day before the gaming day, because the pit reports events before it begins.
    """
    [law] = {pack_of_regulation(plan.regulation).id for plan in plans}
    return PropertyDocument(
        property=property_name,
        title=property_name.title(),
        packs=(law, "us-federal"),
        winnings_reduced_by_wager=True,
        license_class="category 1",
        time_zone=TIME_ZONE.key,
        gaming_day_begins=begins,
        pits=(PIT,),
        shifts=tuple(
            Shift(shift=name, begins=time(begins.hour + _SHIFT_HOURS * number)) for number, name in enumerate(SHIFTS)
        ),
        tables=(
            *(_table(plan, gaming_day) for plan in plans),
            *(_counted_table(plan, gaming_day) for plan in counted),
            *(_poker_table(plan, gaming_day) for plan in poker),
        ),
        games=games_of(counted, gaming_day),
        rated_games=rated_games([*(plan.game for plan in plans), *(plan.game for plan in counted)], gaming_day),
        chip_sets=tuple(_chip_set(kind, gaming_day) for kind in ("chip", "coin")),
        plausibility=_PLAUSIBLE,
        filer=_filer(property_name),
        effective_from=opening(gaming_day) - timedelta(days=1),
    )


def _filer(property_name: str) -> Filer:
    return Filer(
        legal_name=f"{property_name.title()} Casino LLC",
        ein="231234567",
        street="1 Main Street",
        city="Scranton",
        state_code="PA",
        postal_code="18503",
        contact_name="Title 31 office",
        contact_phone="5705550100",
        transmitter_control_code=_TEST_CODE,
    )


def _table(plan: TablePlan, gaming_day: date) -> PropertyTable:
    return PropertyTable(
        table=plan.name,
        asset_number=f"T-{plan.name}",
        game=plan.game,
        pit=PIT,
        positions=plan.seats,
        location="main floor",
        minimum_cents=plan.minimum_cents,
        progressive_links=tuple(pool_of(plan, meter) for meter in initial_meters(plan)),
        opened_on=gaming_day,
    )


def _counted_table(plan: CountedPlan, gaming_day: date) -> PropertyTable:
    return PropertyTable(
        table=plan.name,
        asset_number=f"T-{plan.name}",
        game=plan.game,
        pit=PIT,
        positions=plan.seats,
        location="main floor",
        minimum_cents=plan.minimum_cents,
        play="counted",
        sales=plan.sales,
        opened_on=gaming_day,
    )


def _poker_table(plan: PokerPlan, gaming_day: date) -> PropertyTable:
    return PropertyTable(
        table=plan.name,
        asset_number=f"T-{plan.name}",
        game=plan.game,
        pit=PIT,
        positions=plan.seats,
        location="poker room",
        non_banking=True,
        opened_on=gaming_day,
    )


def _chip_set(kind: PieceKind, gaming_day: date) -> ChipSet:
    denominations = tuple(cents for of_kind, cents in STACKS if of_kind == kind)
    since = gaming_day - timedelta(days=1)
    return ChipSet(chip_set=f"{kind}s", kind=kind, denominations_cents=denominations, in_use_from=since)
