"""The columns of the log of reportable winnings."""

from typing import Final

from services.reporting.framework.document import Column, Section

_FORM: Final = Column(name="form", title="Form")
_WINNER: Final = Column(
    name="winner",
    title="Winner",
    formula="kind of winner to whom the rule applies; both kinds, if the tax residence is unknown",
)
_WHO: Final = (
    Column(name="account", title="Account", formula="account reference, if the wager was electronic"),
    Column(
        name="patron", title="Patron", formula="by reference: the account's owner, or the winner recorded by a cashier"
    ),
    Column(name="residence", title="Tax residence", formula="country, if known"),
)
_WITHHELD: Final = (
    Column(name="regular_cents", title="Regular withholding", unit="cents", formula="to be withheld in every case"),
    Column(
        name="backup_cents",
        title="Backup withholding",
        unit="cents",
        formula="to be withheld if the winner provides no taxpayer identification number",
    ),
)

TREATY: Final = (
    Column(name="treaty", title="Treaty", formula="country whose treaty reduces the rate, as the winner claimed"),
    Column(name="rate_percent", title="Rate", formula="percentage of regular withholding"),
)
STATE: Final = (
    Column(
        name="state_code", title="State", formula="state that may require withholding in addition to the federal tax"
    ),
    Column(
        name="state_cents",
        title="State withholding",
        unit="cents",
        formula="to be withheld in every case, under the state's pack",
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
                "round (at a counted table: the minute, in UTC) / seat / wager, whose winning lines are one win; no "
                "wager if the rule combines the wagers of a seat"
            ),
        ),
        _WINNER,
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(
            name="paid_on",
            title="Paid on",
            unit="day",
            formula=(
                "date on the property's clock, which determines the tax year: the closing of the round, or as "
                "recorded by a cashier"
            ),
        ),
        Column(name="moment", title="Time", unit="moment"),
        Column(name="table", title="Table"),
        Column(name="game", title="Game"),
        Column(name="wager", title="Wager"),
        Column(name="stake_cents", title="Wagered", unit="cents"),
        Column(
            name="amount_cents",
            title="Winnings",
            unit="cents",
            formula="amount paid in excess of the stake, if winnings are reduced by the wager",
        ),
        Column(name="odds", title="Odds", formula="odds of the wager at a counted table, as recorded by a cashier"),
        Column(name="capped", title="Payout limit", formula="limit that reduced the payout below the odds"),
        Column(name="ratio", title="Ratio", formula="winnings / wagered, exact"),
        Column(name="threshold_cents", title="Threshold", unit="cents"),
        Column(name="least_ratio", title="Minimum ratio", unit="count"),
        *_WHO,
        *_WITHHELD,
        Column(name="source", title="Source", formula="source of the threshold applied"),
        Column(name="status", title="Status", formula="whether the threshold was confirmed at its source"),
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
            formula="current position in the year's log of the form; a reversed win gives up its position",
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
        Column(name="identified_by", title="Identified by", formula="types of identification documents"),
        Column(name="tax_number", title="Taxpayer number", formula="given, applied_for or not_given"),
        Column(name="withheld_cents", title="Withheld", unit="cents", formula="federal tax, as cashiers recorded it"),
        *WITHHELD_BESIDE,
        Column(
            name="unrecorded_cents",
            title="Withholding due, not recorded",
            unit="cents",
            formula=(
                "regular and state withholding of wins for which no cashier recorded the amount withheld; the return "
                "is refused until an amount is recorded, which may be 0"
            ),
        ),
        Column(name="filed_on", title="Filed on", unit="day"),
    ),
)
