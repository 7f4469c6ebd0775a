"""`pitledger settle`: settle round records and case files, without database or broker."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from services.cli.documents import read_documents
from services.cli.exits import ExitCode, InputRefused
from services.cli.lines import lines_table
from services.cli.output import AsJson, heading, message, print_json, print_line, show
from shared.contracts.money import dollars
from shared.rules import CaseFile, Refused, Rules, Settlement, compile_rules, parse_cases, parse_round, parse_submission
from shared.rules.cases import differences


@dataclass(frozen=True, slots=True)
class Settled:
    """The result for one record: a settlement, or the reason for its refusal."""

    id: str
    case: CaseFile | None
    settlement: Settlement | None
    error: str | None

    def as_document(self) -> dict[str, Any]:
        """Return the result as a JSON document, with the field names of the round record."""
        if self.settlement is None:
            return {"id": self.id, "error": self.error}
        lines = [line.as_document() for line in self.settlement.lines]
        return {"id": self.id, "lines": lines, "meters": dict(self.settlement.meters)}

    def differences(self) -> list[str]:
        """Return the differences between the result and the case file, ignoring the wording of a refusal."""
        if self.case is None:
            return [f"not a case file: {self.error}"]
        if self.case.error is not None:
            return [] if self.settlement is None else [f"settled, expected a refusal: {self.case.error}"]
        if self.case.expect is None:
            return ["the record has neither 'expect' nor 'error' to compare with"]
        if self.settlement is None:
            return [f"refused: {self.error}"]
        return differences(self.case.expect, self.settlement)

    @property
    def expected_refusal(self) -> bool:
        """Return whether the record was refused and its case file expects a refusal."""
        return self.settlement is None and self.case is not None and self.case.error is not None


def settle(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...", help="File of round records or test cases, YAML or JSON; - for stdin; may be repeated."
        ),
    ],
    check: Annotated[
        bool, typer.Option("--check", help="Compare the results of test cases with their `expect` or `error`.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Settle round records or case files, and print every settlement line with its paragraph.

    Amounts in JSON are integer cents, as in the records; tables show dollars.

    Example: pitledger settle round.yaml
    Example: pitledger settle --check tests/golden/pa-633a-2024/*.yaml
    Example: pitledger settle --json - < rounds.json
    """
    refused = different = count = 0
    for name in files:
        before = count
        try:
            for settled in _settle_file(name):
                count += 1
                wrong = settled.differences() if check else []
                refused += settled.error is not None and not (check and settled.expected_refusal)
                different += bool(wrong)
                _print(settled, wrong, check=check, as_json=as_json)
            if check and count == before:
                raise InputRefused(f"{name}: there is no case in it, so nothing was checked")
        except InputRefused as error:
            refused += 1
            if as_json:
                print_json({"id": name, "error": str(error)})
            message(f"pitledger: {error}")
    if check and not as_json:
        cases = "1 case" if count == 1 else f"{count} cases"
        print_line(f"{cases}: {count - different} as expected" + (f", {different} not" if different else ""))
    if refused:
        return ExitCode.REFUSED
    return ExitCode.NOT_AS_IT_SHOULD_BE if different else ExitCode.FINE


def _settle_file(name: str) -> Iterator[Settled]:
    rules: dict[tuple[str, str], Rules[Any]] = {}
    for label, document in read_documents(name):
        named, case = label, None
        try:
            if not isinstance(document, Mapping):
                raise Refused(f"a round record is a mapping, not {type(document).__name__}")
            if isinstance(document.get("id"), str):
                named = document["id"]
            (case,) = parse_cases({"id": named, **document})
            submission = parse_submission(case.submission)
            key = (case.regulation, submission.model_dump_json())
            if key not in rules:
                rules[key] = compile_rules(case.regulation, submission)
            settlement = rules[key].settle(parse_round(case.regulation, case.round))
        except Refused as refused:
            yield Settled(named, case, None, str(refused))
        else:
            yield Settled(named, case, settlement, None)


def _print(settled: Settled, wrong: Sequence[str], *, check: bool, as_json: bool) -> None:
    if as_json:
        judged = {"as_expected": not wrong, "differences": list(wrong)} if check else {}
        print_json({**settled.as_document(), **judged})
    elif check:
        for difference in wrong:
            print_line(f"{settled.id}: {difference}")
    elif settled.settlement is not None:
        _show_settlement(settled.id, settled.case, settled.settlement)
    if settled.error is not None and not (check and (settled.expected_refusal or not as_json)):
        message(f"pitledger: {settled.id}: refused: {settled.error}")


def _show_settlement(name: str, case: CaseFile | None, settlement: Settlement) -> None:
    title = f"{name}  {case.title}" if case is not None and case.title else name
    show(heading(title), lines_table([line.as_document() for line in settlement.lines]))
    for meter, after in settlement.meters.items():
        change = after - settlement.meters_before[meter]
        print_line(f"meter {meter}: {dollars(after)} ({'+' if change >= 0 else ''}{dollars(change)})")
