"""Generate docs/duties.md: segregation of duties as one printable matrix."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from shared.jurisdictions import known_packs, pack
from shared.jurisdictions.model import GamingPack
from shared.runtime.http.roles import Role
from shared.runtime.http.segregation_of_duties import DUTY_OF, SOURCES, Duty, Together, together

PATH: Final = "docs/duties.md"

SIGNS: Final = {Together.NEVER: "✗", Together.NOT_ON_ONE_THING: "≠", Together.ALLOWED: ""}

_HEAD: Final = """# Segregation of duties

Nobody can do two incompatible steps of one transaction. This page is what auditors sign; it is written from the code by
`make generated`, and each cell of it is a test (`tests/unit/runtime/web/test_duties.py`).

## Who may have which duties

Each role belongs to one duty.

- ✗: one person never has both. Every request with a token that has roles of both duties is refused with the reason
  `roles-incompatible`; if it is a command, the refusal is recorded.
- ≠: one person may have both, but what one person requested, entered, closed or counted, another person approves,
  voids, audits or counts again. On the same document the reason of a refusal is `same-person`. The other person's
  approval is bound to the hash of what was shown ([what an approver sees](security.md#what-an-approver-sees)).
- Empty: one person may do both.

"""


def page(roles: Mapping[str, Role]) -> str:
    """Return docs/duties.md as text, with the descriptions of `roles`. Raises: KeyError for a role without a duty."""
    return "".join([_HEAD, *_matrix(), *_duties(roles), *_sources(), *_steps()])


def _matrix() -> Iterator[str]:
    numbers = range(1, len(Duty) + 1)
    yield f"| | who … | {' | '.join(map(str, numbers))} |\n"
    yield f"|---|---|{'---|' * len(Duty)}\n"
    for number, duty in enumerate(Duty, 1):
        cells = " | ".join(SIGNS[together(duty, other)] for other in Duty)
        yield f"| {number} | {duty} | {cells} |\n"


def _duties(roles: Mapping[str, Role]) -> Iterator[str]:
    yield "\n## The roles of each duty\n\n| | who … | role | allows to |\n|---|---|---|---|\n"
    duties = {name: DUTY_OF[name] for name in sorted(roles)}
    for number, duty in enumerate(Duty, 1):
        for name, of in duties.items():
            if of is duty:
                yield f"| {number} | {duty} | `{name}` | {roles[name].description} |\n"


def _sources() -> Iterator[str]:
    yield "\n## Sources\n\n| separate duties | source |\n|---|---|\n"
    numbers = {duty: number for number, duty in enumerate(Duty, 1)}
    for source in dict.fromkeys(SOURCES.values()):
        pairs = sorted(sorted(numbers[duty] for duty in pair) for pair, of in SOURCES.items() if of == source)
        yield f"| {', '.join(f'{one} and {other}' for one, other in pairs)} | {source} |\n"


def _steps() -> Iterator[str]:
    yield (
        "\n## Steps of one document\n\n"
        "Each of these steps needs another person; services refuse a person who takes two of them.\n\n"
        "| jurisdiction | document | steps, each by another person | source |\n|---|---|---|---|\n"
    )
    for name, thing, dated in laws():
        steps = ", ".join(f"`{step}`" for step in dated.value)
        yield f"| `{name}` | {thing.replace('_', ' ')} | {steps} | {dated.source} |\n"


def laws() -> Iterator[tuple[str, str, Any]]:
    """Yield pack, document type and latest dated list of the steps that different people must do."""
    for name in known_packs():
        found = pack(name)
        if isinstance(found, GamingPack):
            for thing in type(found.people).model_fields:
                yield name, thing, getattr(found.people, thing).root[-1]
