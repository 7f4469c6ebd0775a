"""The columns of the log of reportable winnings."""

from typing import Final

from services.reporting.framework.document import Column, Section

_FORM: Final = Column(name="form", title="Form")
_WINNER: Final = Column(
    name="winner", title="Winner", formula="whose winnings the rule is about; both, where no tax residence is known"
)
_WHO: Final = (
    Column(name="account", title="Account", formula="a reference, where the wager was electronic"),
    Column(name="patron", title="Patron", formula="a reference, of the account or as a cashier recorded who won"),
    Column(name="residence", title="Tax residence", formula="the country, where it is known"),
)
_WITHHELD: Final = (
    Column(name="regular_cents", title="Regular withholding", unit="cents", formula="withheld in any case"),
    Column(
        name="backup_cents",
        title="Backup withholding",
        unit="cents",
        formula="withheld where the winner gives no taxpayer identification number",
    ),
)

TREATY: Final = (
    Column(name="treaty", title="Treaty", formula="the country whose treaty gives relief, as the winner claimed"),
    Column(name="rate_percent", title="Rate", formula="of regular withholding, percent"),
)
STATE: Final = (
    Column(name="state_code", title="State", formula="whose tax may be withheld beside the federal one"),
    Column(
        name="state_cents",
        title="State withholding",
        unit="cents",
        formula="withheld in any case, as the pack of the state says",
    ),
)
WITHHELD_BESIDE: Final = (
    Column(
        name="state_withheld_cents", title="Withheld for the state", unit="cents", formula="as cashiers recorded it"
    ),
    Column(
        name="local_withheld_cents", title="Withheld for the locality", unit="cents", formula="as cashiers recorded it"
    ),
)

CANDIDATES: Final = Section(
    name="candidates",
    title="Candidates",
    key=("form", "table", "win"),
    columns=(
        _FORM,
        Column(
            name="win",
            title="Win",
            formula=(
                "round, or minute (UTC) at a counted table / seat / wager, all of whose winning lines are one win; "
                "without a wager where the rule combines those of a seat"
            ),
        ),
        _WINNER,
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(
            name="paid_on",
            title="Paid on",
            unit="day",
            formula="by the clock of the property, its year decides; when the round was closed, or as a cashier said",
        ),
        Column(name="moment", title="Moment", unit="moment"),
        Column(name="table", title="Table"),
        Column(name="game", title="Game"),
        Column(name="wager", title="Wager"),
        Column(name="stake_cents", title="Wagered", unit="cents"),
        Column(
            name="amount_cents",
            title="Winnings",
            unit="cents",
            formula="what was paid on top of the stake, where winnings are reduced by the wager",
        ),
        Column(name="odds", title="Odds", formula="of the wager at a counted table, as a cashier said"),
        Column(name="capped", title="Capped", formula="the payout limit, if one paid less than the odds make"),
        Column(name="ratio", title="Ratio", formula="winnings / wagered, exact"),
        Column(name="threshold_cents", title="Threshold", unit="cents"),
        Column(name="least_ratio", title="Least ratio", unit="count"),
        *_WHO,
        *_WITHHELD,
        Column(name="source", title="Source", formula="of the threshold that was applied"),
        Column(name="status", title="Status", formula="whether that was confirmed at its source"),
    ),
)
FORMS: Final = Section(
    name="forms",
    title="Log of forms",
    key=("form", "year", "number"),
    columns=(
        _FORM,
        Column(name="year", title="Year", formula="calendar year of the payment"),
        Column(
            name="number",
            title="Number",
            unit="count",
            formula="place in the year's log of the form as it is known; a win that is taken back gives its place up",
        ),
        _WINNER,
        Column(name="gaming_day", title="Gaming day", unit="day"),
        *_WHO,
        Column(name="wins", title="Wins"),
        Column(name="amount_cents", title="Winnings", unit="cents"),
        *_WITHHELD,
        *TREATY,
        *STATE,
        Column(name="form_number", title="Form no."),
        Column(name="identified_by", title="Identified by", formula="kinds of documents"),
        Column(name="tax_number", title="Taxpayer number", formula="given, applied_for or not_given"),
        Column(name="withheld_cents", title="Withheld", unit="cents", formula="federal tax, as cashiers recorded it"),
        *WITHHELD_BESIDE,
        Column(
            name="unrecorded_cents",
            title="Had to be withheld, not recorded",
            unit="cents",
            formula=(
                "regular and state withholding of wins of which no cashier recorded what was withheld; such a return "
                "is refused until that is recorded, also as 0"
            ),
        ),
        Column(name="filed_on", title="Filed on", unit="day"),
    ),
)
