"""`pitledger payback`: compute the paybacks of a rules submission's wagers, and the hand counts behind them."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from services.cli.documents import read_documents
from services.cli.exits import CheckFailed, ExitCode, UsageWrong
from services.cli.output import AsJson, heading, message, names, numbers, print_json, print_line, show, table
from shared.contracts.money import dollars
from shared.rules import Refused, Submission, catalogue, parse_submission
from shared.rules.paybacks import WagerPayback, paybacks, strategy_cards
from shared.rules.play import Play, StrategyCard
from shared.rules.progressive import Progressive

if TYPE_CHECKING:
    from shared.counting.recount import Counted

_ROOT: Final = Path(__file__).parents[3]

app = typer.Typer()


@app.command("show")
def show_paybacks(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...", help="File of the rules submission, YAML or JSON; - for stdin; may be repeated."
        ),
    ],
    rows: Annotated[
        bool, typer.Option("--rows", help="Also print every outcome of each wager, with its probability and return.")
    ] = False,
    meters: Annotated[
        list[str] | None,
        typer.Option(
            "--meter",
            metavar="WAGER=CENTS",
            help="Progressive meter of a wager, in cents (default: its reset amount); may be repeated.",
        ),
    ] = None,
    strategy: Annotated[
        bool, typer.Option("--strategy", help="Also print the optimal strategy, if it fits on a strategy card.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Print the exact payback of each wager of a rules submission, without database or broker.

    A wager that a player's decision adds to another wager is computed together with that wager, under optimal play. The
    house edge is printed relative to the initial wager, and relative to the total stake. Wagers that cannot be computed
    are listed with the reason.

    Example: pitledger payback show submission.json
    Example: pitledger payback show --rows --json submission.json
    Example: pitledger payback show --strategy submission.json
    """
    readings = _readings(meters or [])
    refused = 0
    for name in files:
        for label, document in read_documents(name):
            try:
                regulation, submission = _submission(document)
                found = list(paybacks(regulation, submission, readings))
                cards = strategy_cards(regulation, submission) if strategy else {}
            except Refused as error:
                refused += 1
                if as_json:
                    print_json({"id": label, "error": str(error)})
                message(f"pitledger: {label}: refused: {error}")
                continue
            if as_json:
                said = {"id": label, "regulation": regulation, "wagers": [one.as_document() for one in found]}
                print_json(
                    said | ({"strategies": {name: card._asdict() for name, card in cards.items()}} if cards else {})
                )
            else:
                _show(f"{label}  {catalogue(regulation).title}", found, with_rows=rows)
                for name, card in cards.items():
                    _show_card(name, card)
    return ExitCode.REFUSED if refused else ExitCode.FINE


def _readings(meters: list[str]) -> dict[str, int]:
    """Return meter readings, cents by wager. Raises: UsageWrong for a malformed option."""
    found = {}
    for text in meters:
        wager, _, cents = text.partition("=")
        if not wager or not (cents.isascii() and cents.isdigit()):
            raise UsageWrong(f"--meter {text!r}: give WAGER=CENTS, such as progressive_payout=1234500")
        found[wager] = int(cents)
    return found


def _submission(document: object) -> tuple[str, Submission]:
    """Return a document's regulation name and its parsed rules submission. Raises: Refused."""
    if not isinstance(document, Mapping) or not isinstance(document.get("regulation"), str):
        raise Refused("a rules submission is a mapping with 'regulation' and 'submission'")
    return document["regulation"], parse_submission(document.get("submission", {}))


def _show_card(wager: str, card: StrategyCard) -> None:
    show("", table([*names(wager), *numbers(*card.columns)], [[row, *letters] for row, letters in card.rows.items()]))
    print_line(card.letters)


def _show(title: str, found: list[WagerPayback], *, with_rows: bool) -> None:
    show(heading(title), _summary(found))
    for one in found:
        if one.play is None:
            print_line(f"{one.offer.name}: {one.reason}")
            continue
        print_line(f"{one.offer.name}: {one.play.assumed}")
        if one.progressive is not None:
            print_line(f"{one.offer.name}: {_of_meter(one.progressive)}")
        for stake, each in one.envy.items():
            back = [
                f"{_percent(one.with_envy(stake, hands))} with {hands}" for hands in range(1, one.most_other_hands + 1)
            ]
            print_line(
                f"{one.offer.name}: each other hand adds {_percent(each)} to {stake} cents wagered: {', '.join(back)}"
            )
        if with_rows:
            ends = [
                [end.category or "lost", _percent(chance), f"{end.staked}", f"{end.back}", _percent(chance * end.back)]
                for end, chance in one.play.ends
            ]
            show(table([*names("end"), *numbers("probability", "staked", "comes back", "return")], ends))


def _of_meter(counted: Progressive) -> str:
    """Return a text that describes a wager's payback as a function of its meter."""
    even, long_run = counted.break_even_cents, counted.in_the_long_run
    return (
        f"{_percent(counted.fixed)} and {_percent(100_000 * counted.by_meter_cent)} for each 1,000.00 that the meter "
        f"shows, on {counted.stake_cents} cents wagered; {_percent(counted.added)} of them goes onto the meter and its "
        f"reserve; the meter resets to {dollars(counted.reset_cents)}; "
        + ("no reading pays all back" if even is None else f"all is paid back from {dollars(even)} on")
        + ("" if long_run is None else f"; in the long run {_percent(long_run)}")
    )


def _summary(found: list[WagerPayback]) -> Any:
    columns = [
        *names("wager", "paytable"),
        *numbers("payback", "house edge", "error", "staked", "of all staked", "hits", "deviation"),
    ]
    lines = []
    for one in found:
        paytable = one.offer.paytable.name or ""
        lines.append([one.offer.name, paytable, *([""] * 7 if one.play is None else _figures(one.play))])
        lines += [[f"  {name}", paytable, *_figures(play)] for name, play in one.variants.items()]
    return table(columns, lines)


def _figures(play: Play) -> list[str]:
    return [
        _percent(play.payback),
        _percent(play.house_edge),
        "by model" if play.by_model else _percent(play.standard_error) if play.standard_error else "exact",
        f"{float(play.staked):.4f}",
        _percent(play.edge_of_all_staked),
        _percent(play.hit_frequency),
        f"{play.standard_deviation:.4f}",
    ]


def _percent(share: Any) -> str:
    return f"{float(100 * share):.4f}%"


@app.command()
def recompute(
    named: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Names of the recounts to run (default: all).")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit with 1 if stored counts differ.")] = False,
) -> None:
    """Recount the hands from which paybacks are computed; write the counts, or compare them with the stored counts.

    Takes minutes on two CPUs, and needs the package's extra `counting`.

    Example: pitledger payback recompute holdem --check
    """
    try:
        from shared.counting.recount import COUNTS, count_all
    except ModuleNotFoundError as error:
        raise UsageWrong(
            f"counting needs {error.name}; install the extra: pip install 'pitledger[counting]'"
        ) from error
    unknown = [name for name in named or () if name not in COUNTS]
    if unknown:
        raise UsageWrong(f"nothing is counted by the name {unknown[0]!r}; there are: {', '.join(COUNTS)}")
    differ = []
    for done in count_all(named or list(COUNTS)):
        differ += _keep(done, COUNTS[done.name].title, check=check)
    if differ:
        raise CheckFailed(f"{', '.join(differ)}: not what counting says; run: pitledger payback recompute")


def _keep(done: "Counted", title: str, *, check: bool) -> list[str]:
    """Write the hand counts; or, with --check, compare them and return the files that differ."""
    from shared.counting.recount import is_same

    differ = []
    for path, text in done.texts.items():
        kept = _ROOT / path
        same = kept.exists() and is_same(text, kept.read_text())
        if check and not same:
            differ.append(path)
        elif not check and not same:
            kept.write_text(text)
    said = "differs: " + ", ".join(differ) if differ else "as kept" if check else "written"
    print_line(f"{done.name}: {title}, counted in {done.seconds:.0f} s: {said}")
    return differ
