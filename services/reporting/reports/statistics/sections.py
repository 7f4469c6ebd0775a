"""The sections of the statistics, and the assumption of honest play behind each sequential test."""

from collections.abc import Mapping
from typing import Final

from services.reporting.domain.carried_evidence import Kind
from services.reporting.domain.evidence import FALSE_ALARMS
from services.reporting.domain.statistics import HONEST_SHORT, SHOE_TOLERANCE
from services.reporting.framework.document import Column, Section

_GAME: Final = Column(name="game", title="Game")
_WAGER: Final = Column(name="wager", title="Wager")
_VERSION: Final = Column(name="version", title="Version", formula="of the rules submission")

_AGAINST: Final = (
    Column(name="wagers", title="Wagers", unit="count", added=True, formula="stakes with an exact distribution"),
    Column(name="handle_cents", title="Handle", unit="cents", added=True, formula="amount wagered on these"),
    Column(
        name="expected_cents",
        title="Expected payout",
        unit="cents",
        formula="handle x exact payback under each rules submission, including returned stakes",
    ),
    Column(
        name="payout_cents",
        title="Payout",
        unit="cents",
        added=True,
        formula="paid on these wagers, including returned stakes and bonus lines they earn; without Envy Bonuses",
    ),
    Column(name="difference_cents", title="Difference", unit="cents", formula="payout - expected payout"),
    Column(
        name="deviation_cents",
        title="Standard deviation",
        unit="cents",
        formula="square root of the sum of exact variance per unit staked x squared stakes",
    ),
    Column(
        name="z_score",
        title="z-score",
        formula=(
            "difference / standard deviation, for wagers assumed independent: seats of a round share cards, so z "
            "is some tenths too large where many bet on the same cards. Valid for a single look at a closed "
            "period; for daily monitoring, see Alarms"
        ),
    ),
)

WAGERS: Final = Section(name="wagers", title="By wager", key=("game", "wager"), columns=(_GAME, _WAGER, *_AGAINST))
TABLES: Final = Section(
    name="tables", title="By table", key=("table",), columns=(Column(name="table", title="Table"), *_AGAINST)
)
DEALERS: Final = Section(
    name="dealers", title="By dealer", key=("dealer",), columns=(Column(name="dealer", title="Dealer"), *_AGAINST)
)
SHIFTS: Final = Section(
    name="shifts",
    title="By shift",
    key=("shift",),
    columns=(Column(name="shift", title="Shift", formula="by the handover count of each table"), *_AGAINST),
)
ROWS: Final = Section(
    name="rows",
    title="Rows of paytables",
    key=("game", "wager", "version", "row"),
    columns=(
        _GAME,
        _WAGER,
        _VERSION,
        Column(name="row", title="Row"),
        Column(name="wagers", title="Wagers", unit="count"),
        Column(name="hits", title="Hits", unit="count", formula="winning lines of the row"),
        Column(name="expected", title="Expected hits", formula="wagers x exact probability"),
        Column(
            name="probability",
            title="Probability",
            formula="exact binomial probability of this many hits or more, for wagers assumed independent",
        ),
        Column(
            name="too_often",
            title="Too often",
            formula=f"yes: the probability is below {FALSE_ALARMS} / number of the wager's rows; valid for one look",
        ),
    ),
)
COUNTS: Final = Section(
    name="counts",
    title="Counts by dealer and shift",
    key=("dealer", "shift"),
    columns=(
        Column(name="dealer", title="Dealer", formula="all dealers at the table since the previous count"),
        Column(name="shift", title="Shift"),
        Column(
            name="counts", title="Counts", unit="count", formula="counts on sealed gaming days, as of their latest test"
        ),
        Column(
            name="off", title="With a variance", unit="count", formula="counts that differ from the expected amount"
        ),
        Column(name="short", title="Short", unit="count", formula="counts below the expected amount"),
        Column(name="variance_cents", title="Variance", unit="cents", formula="counted - expected"),
    ),
)
ALARMS: Final = Section(
    name="alarms",
    title="Alarms",
    key=("test", "table", "seat", "dealer", "game", "wager", "row"),
    columns=(
        Column(name="test", title="Test"),
        Column(name="table", title="Table"),
        Column(name="seat", title="Seat", unit="count"),
        Column(name="dealer", title="Dealer"),
        _GAME,
        _WAGER,
        Column(name="row", title="Row"),
        Column(
            name="since",
            title="Since",
            unit="day",
            formula="the gaming day whose test raised the alarm; an alarm stays listed",
        ),
        Column(
            name="observations", title="Observations", unit="count", formula="number of observations until the alarm"
        ),
        Column(
            name="statistic",
            title="Statistic",
            formula="common logarithm of the accumulated value of one unit bet against honest play",
        ),
        Column(name="threshold", title="Threshold", formula="- common logarithm of the false-alarm rate"),
        Column(
            name="false_alarms",
            title="False alarms",
            formula="upper limit of the probability that honest play ever raises the alarm",
        ),
        Column(name="says", title="Interpretation", formula="where to look first; not an accusation"),
    ),
)
TESTS: Final = Section(
    name="tests",
    title="Continuing tests",
    key=("test",),
    columns=(
        Column(name="test", title="Test"),
        Column(name="tests", title="Tests", unit="count", added=True),
        Column(name="through", title="Through", unit="day", formula="the last gaming day tested"),
        Column(name="observations", title="Observations", unit="count"),
        Column(name="alarms", title="Alarms", unit="count", added=True),
        Column(
            name="false_alarms_expected",
            title="Maximum expected false alarms",
            formula=f"tests x {FALSE_ALARMS}: maximum expected with honest play, however long the tests continue",
        ),
        Column(name="honest", title="Assumption of honest play"),
    ),
)
WITHOUT: Final = Section(
    name="without",
    title="Wagers without an exact distribution",
    key=("game", "wager", "version"),
    columns=(
        _GAME,
        _WAGER,
        _VERSION,
        Column(name="handle_cents", title="Handle", unit="cents", added=True),
        Column(name="payout_cents", title="Payout", unit="cents", added=True),
        Column(name="reason", title="Reason"),
    ),
)

_SHOE: Final = f"at the counted probability and {SHOE_TOLERANCE} more, for shoes are not shuffled between rounds"
HONEST: Final[Mapping[Kind, str]] = {
    "hits": f"stakes do not depend on cards to come: rounds hit {_SHOE}",
    "row": f"stakes do not depend on cards to come: rounds hit {_SHOE}",
    "returns": f"stakes do not depend on cards to come: rounds pay {_SHOE}",
    "raised": "the outcome does not depend on the stake, whatever the player did before",
    "counts": f"of counts that are off, {HONEST_SHORT} are short at the most, whatever came before",
}
