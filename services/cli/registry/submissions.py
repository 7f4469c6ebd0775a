"""`pitledger submissions`: draft, file, check, approve and read rules submissions, through the paytable registry."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final
from urllib.parse import quote

import typer
from pydantic import ValidationError

from services.cli.client import client_of, finding_line
from services.cli.documents import read_document
from services.cli.exits import ExitCode, InputRefused
from services.cli.moments import moment_of
from services.cli.output import AsJson, heading, message, names, numbers, print_json, print_line, show, table, words
from services.cli.registry.submission_files import bring_in, export, verify
from services.cli.registry.submission_paybacks import show_paybacks
from services.cli.subjects import Shown
from services.paytable_registry.domain.paybacks import counted_beside_stated
from services.paytable_registry.domain.submission_checks import counted_by_registry, of_regulation
from shared.contracts.submissions import RulesSubmission
from shared.rules.errors import refused_by_validation

app = typer.Typer()

_REGISTRY: Final = "paytable-registry"

Property = Annotated[str, typer.Argument(metavar="PROPERTY", help="The property's name.")]
Game = Annotated[str, typer.Argument(metavar="GAME", help="The licensee's name for the game.")]
Version = Annotated[int, typer.Argument(metavar="VERSION", min=1, help="Version number.")]
File = Annotated[str, typer.Argument(metavar="FILE", help="File of the rules submission, YAML or JSON; - for stdin.")]
Why = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Reason for this action; it is recorded.")]


@app.command()
def draft(
    file: File,
    version: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Version number of the draft to replace (default: create a new draft)."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Draft the next version of a submission, or replace a draft. A draft is validated only when it is filed.

    Example: pitledger submissions draft submission.json
    Example: pitledger submissions draft submission.json --version 3
    """
    document = _read(file)
    path = "/submissions/drafts"
    if version is not None:
        path = f"{_path(_said(document, 'property'), _said(document, 'game'), version)}/draft"
        document = {name: value for name, value in document.items() if name not in ("property", "game")}
    _done(path, document, as_json=as_json)


@app.command("file")
def file_version(
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="File of the rules submission, YAML or JSON; - for stdin.")
    ] = None,
    of_draft: Annotated[
        tuple[str, str, int] | None,
        typer.Option("--draft", metavar="PROPERTY GAME VERSION", help="File this draft unchanged, instead of FILE."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """File the next version of a submission, or a draft; another person must approve it before it takes effect.

    If it is refused, all of its faults are printed, one per line, and the exit code is 3.

    Example: pitledger submissions file submission.json
    Example: pitledger submissions file --draft riverside blackjack 2
    """
    if (file is None) == (of_draft is None):
        raise typer.BadParameter("give a file, or --draft PROPERTY GAME VERSION")
    if of_draft is not None:
        _done(f"{_path(*of_draft)}/file", None, as_json=as_json)
    elif file is not None:
        _done("/submissions", _read(file), as_json=as_json)


@app.command()
def check(file: File, as_json: AsJson = False) -> int:
    """Check a submission offline against its regulation, one fault per line.

    Not checked offline: whether the property has the tables, and whether the effective time is possible. The registry
    checks both on filing. Exit code 3 if there is a fault.

    Example: pitledger submissions check submission.json
    """
    document = _read(file)
    try:
        wanted = RulesSubmission.model_validate(document)
    except ValidationError as error:
        raise InputRefused(f"{file}: {refused_by_validation(error, document)}") from None
    found = [*of_regulation(wanted), *counted_by_registry(wanted, counted_beside_stated(wanted))]
    for one in found:
        said = {"pointer": one.pointer, "detail": one.detail, "paragraph": one.paragraph}
        if as_json:
            print_json(said)
        else:
            print_line(finding_line(said))
    problems = "1 problem" if len(found) == 1 else f"{len(found)} problems"
    message(f"{file}: {problems if found else 'nothing is wrong'}")
    return ExitCode.REFUSED if found else ExitCode.FINE


@app.command()
def approve(
    property_name: Property,
    game: Game,
    version: Version,
    withdrawal: Annotated[
        bool, typer.Option(help="Approve the withdrawal of the version, which another person requested.")
    ] = False,
    override: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Override the payback findings; the text is the recorded reason.")
    ] = None,
    shown: Shown = None,
    as_json: AsJson = False,
) -> None:
    """Approve a version that another person filed, or the withdrawal of an approved one.

    The computed paybacks are printed first, beside the stated paybacks. If a payback differs, is above 100%, or is
    below the property's minimum, the approval is refused (exit code 3) without --override.

    Example: pitledger submissions approve riverside blackjack 2
    Example: pitledger submissions approve riverside blackjack 2 --override "promotion of the opening week"
    Example: pitledger submissions approve riverside blackjack 2 --withdrawal
    """
    path = _path(property_name, game, version)
    if withdrawal:
        if override is not None:
            raise typer.BadParameter("a withdrawal has no paybacks to override")
        _approved(f"{path}/withdrawal/approve", {}, shown, as_json=as_json)
        return
    if not as_json:
        with client_of(_REGISTRY) as client:
            show_paybacks(client.read(f"{path}/paybacks"))
    _approved(f"{path}/approve", {} if override is None else {"override": override}, shown, as_json=as_json)


@app.command()
def paybacks(
    property_name: Property,
    game: Game,
    version: Version,
    meters: Annotated[
        list[str] | None,
        typer.Option(
            "--meter",
            metavar="WAGER=CENTS",
            help="Reading of a wager's progressive meter in cents (default: its reset amount); may be repeated.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the computed and stated paybacks of each wager of a version, and what requires an override.

    Example: pitledger submissions paybacks riverside blackjack 2
    Example: pitledger submissions paybacks riverside blackjack 2 --meter bad_beat_progressive=2500000
    """
    with client_of(_REGISTRY) as client:
        found = client.read(f"{_path(property_name, game, version)}/paybacks", meter=meters or [])
    if as_json:
        print_json(found)
    else:
        show_paybacks(found)


@app.command("return")
def give_back(
    property_name: Property,
    game: Game,
    version: Version,
    reason: Why,
    withdrawal: Annotated[
        bool, typer.Option(help="Reject the requested withdrawal; the version stays approved.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Return a submission version to its filer; it never takes effect.

    Example: pitledger submissions return riverside blackjack 2 --reason "eight decks were agreed"
    """
    how = "withdrawal/return" if withdrawal else "return"
    _done(f"{_path(property_name, game, version)}/{how}", {"reason": reason}, as_json=as_json)


@app.command()
def withdraw(property_name: Property, game: Game, version: Version, reason: Why, as_json: AsJson = False) -> None:
    """Withdraw a submission version before it takes effect.

    A draft or filed version is withdrawn at once. The withdrawal of an approved version needs another person's
    approval, at least an hour before the version takes effect.

    Example: pitledger submissions withdraw riverside blackjack 2 --reason "the hotel opens later"
    """
    _done(f"{_path(property_name, game, version)}/withdraw", {"reason": reason}, as_json=as_json)


@app.command()
def diff(property_name: Property, game: Game, version: Version, other: Version, as_json: AsJson = False) -> None:
    """Print the changes from one submission version to another, one per line.

    Example: pitledger submissions diff riverside blackjack 1 2
    """
    with client_of(_REGISTRY) as client:
        told = client.read(f"{_path(property_name, game, version)}/diff/{other}")
    if as_json:
        print_json(told)
        return
    for line in told["changes"]:
        print_line(line)
    if not told["changes"]:
        message(f"nothing differs between versions {version} and {other}")


@app.command("show")
def show_version(property_name: Property, game: Game, version: Version, as_json: AsJson = False) -> None:
    """Show a submission version with its status.

    Example: pitledger submissions show riverside blackjack 2
    """
    with client_of(_REGISTRY) as client:
        found = client.read(_path(property_name, game, version))
    if as_json:
        print_json(found)
        return
    selected = found["submission"]
    facts = [
        ["regulation", found["regulation"]],
        ["tables", ", ".join(found["tables"])],
        ["in effect", f"from {found['effective_from']} on"],
        ["phase", found["phase"]],
        ["people", _people(found)],
        ["decks", str(selected.get("decks") or "as the regulation says")],
        ["options", _options(selected.get("options", {})) or "none"],
        ["hash", found["hash"]],
        ["sha256", found["sha256"]],
    ]
    title = f"{game} at {property_name}, version {version}: {found['status']}"
    show(heading(title), table(names("") + words(""), facts))
    overridden = found.get("overridden")
    if overridden:
        for finding in overridden["findings"]:
            message(f"{finding['wager']} pays back {finding['payback']}%: {overridden['reason']}")
    rows = [[name, one.get("paytable") or "", _options(one, "paytable")] for name, one in selected["wagers"].items()]
    if rows:
        show(heading("Wagers"), table(names("Wager", "Paytable") + words("Options"), rows))


@app.command("list")
def list_versions(
    property_name: Annotated[str | None, typer.Option("--property", help="Only this property.")] = None,
    game: Annotated[str | None, typer.Option("--game", help="Only this game.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the versions of submissions in every status, from drafts to superseded versions.

    Example: pitledger submissions list --property riverside
    """
    asked = {name: value for name, value in (("property", property_name), ("game", game)) if value is not None}
    with client_of(_REGISTRY) as client:
        found = list(client.pages("/submissions", **asked))
    if as_json:
        for one in found:
            print_json(one)
    elif found:
        columns = names("Property", "Game") + numbers("Version") + names("From", "Phase") + words("People")
        rows = [
            [one["property"], one["game"], str(one["version"]), one["effective_from"], one["phase"], _people(one)]
            for one in found
        ]
        show(table(columns, rows))
    else:
        message("nothing was ever filed")


@app.command("in-effect")
def in_effect(
    property_name: Property,
    of_table: Annotated[str | None, typer.Option("--table", help="Only this table.")] = None,
    at: Annotated[
        str | None, typer.Option(metavar="MOMENT", help="As of this time, ISO 8601 with UTC offset (default: now).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the submission version in effect at each table, as of a given time.

    Example: pitledger submissions in-effect riverside
    Example: pitledger submissions in-effect riverside --table BJ-01 --at 2026-12-24T20:15:00-05:00
    """
    asked = {"property": property_name}
    if of_table is not None:
        asked["table"] = of_table
    if at is not None:
        asked["at"] = moment_of("--at", at).isoformat()
    with client_of(_REGISTRY) as client:
        found = client.read("/submissions/in-effect", **asked)
    if as_json:
        print_json(found)
        return
    columns = names("Table", "Game") + numbers("Version") + names("From", "Hash")
    rows = [[one["table"], one["game"], *_effective(one.get("submission"))] for one in found["tables"]]
    show(heading(f"In effect at {property_name}, {found['at']}"), table(columns, rows))


app.command("export")(export)
app.command("verify")(verify)
app.command("import")(bring_in)


def _effective(version: Mapping[str, Any] | None) -> Sequence[str]:
    if version is None:
        return ("none", "", "")
    return (str(version["version"]), version["effective_from"], version["hash"][:16])


def _read(file: str) -> Mapping[str, Any]:
    document = read_document(file)
    if not isinstance(document, Mapping):
        raise InputRefused(f"{file}: a submission is a mapping, not {type(document).__name__}")
    return document


def _said(document: Mapping[str, Any], name: str) -> str:
    if not isinstance(document.get(name), str):
        raise InputRefused(f"field '{name}' is missing: it says which draft is replaced")
    found: str = document[name]
    return found


def _path(property_name: str, game: str, version: int) -> str:
    return "/".join(("/submissions", quote(property_name, safe=""), quote(game, safe=""), str(version)))


def _done(path: str, document: object, *, as_json: bool) -> None:
    """Send a command about a submission version, and print its new status."""
    with client_of(_REGISTRY) as client:
        _print(client.do(path, document), as_json=as_json)


def _approved(path: str, document: Mapping[str, Any], shown: str | None, *, as_json: bool) -> None:
    """Approve the content with hash `shown` (None: the current content), and print the submission version's status."""
    with client_of(_REGISTRY) as client:
        _print(client.approve(path, document, sha256=shown), as_json=as_json)


def _print(stands: Mapping[str, Any], *, as_json: bool) -> None:
    """Print a submission version's status."""
    if as_json:
        print_json(stands)
        return
    named = f"version {stands['version']} of {stands['game']} at {stands['property']}"
    message(f"{named} is {stands['status']}, from {stands['effective_from']} on ({_people(stands)})")
    if stands["status"] == "filed":
        words_of = f"{stands['property']} {stands['game']} {stands['version']}"
        message(f"somebody else approves it: pitledger submissions approve {words_of}")


def _people(one: Mapping[str, Any]) -> str:
    """Return a text with who drafted, filed, approved, returned or withdrew a version, with the reasons."""
    parts = [
        f"{what} by {one[f'{field}_by']}"
        for what, field in (("drafted", "drafted"), ("filed", "filed"), ("approved", "approved"))
        if one.get(f"{field}_by")
    ]
    if one.get("returned_by"):
        parts.append(f"returned by {one['returned_by']}: {one['return_reason']}")
    if one.get("withdrawal_requested_by"):
        parts.append(f"withdrawal asked for by {one['withdrawal_requested_by']}")
    if one.get("withdrawn_by"):
        parts.append(f"withdrawn by {one['withdrawn_by']}")
    if one.get("withdrawal_reason"):
        parts.append(one["withdrawal_reason"])
    return ", ".join(parts)


def _options(selected: Mapping[str, Any], *besides: str) -> str:
    return ", ".join(f"{name} {value}" for name, value in selected.items() if name not in besides and value is not None)
