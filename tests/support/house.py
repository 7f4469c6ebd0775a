"""All services, each after its story, behind one console; and people who work elsewhere."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from fastapi.routing import APIRoute

from services.cli.services import load_all
from shared.contracts.rejection import Reason
from shared.runtime.http.access import whose_data
from shared.runtime.http.command_routes import CommandRoute
from shared.runtime.http.problems import problem_uri
from tests.faults.subjects import SUBJECTS
from tests.fuzz.apis import Known
from tests.support import Databases, accounts, pit, rounds
from tests.support.browsers import Answered, Browsers
from tests.support.corrections import propose
from tests.support.desk import Desk
from tests.support.filings import filing_of
from tests.support.known import hear_of
from tests.support.registry import blackjack, riverbend
from tests.support.told import AS_EVERYBODY, as_each, crews, outsiders, told
from tests.support.worker import MOMENT

ELSEWHERE: Final = "elsewhere"
"""The property for which strangers work; no story knows anything of it."""
HERE: Final = "riverside"
THERE: Final = pit.PROPERTY
"""The two properties that the stories are about."""
AS_MEMBER: Final = " as member"
"""After the name of a crew: who works for these two."""
MISSING: Final = problem_uri(Reason.PROPERTY_MISSING)


@dataclass(frozen=True)
class House:
    """The services, and the console before them."""

    desks: Mapping[str, Desk]
    browsers: Browsers
    known: Known

    def leaks(self, since: int) -> list[str]:
        """What services showed of a property to somebody who works elsewhere, since so many answers."""
        return [
            f"{one.method} {one.service}{one.path}: {one.status} {one.text[:200]}"
            for one in self.browsers.answered[since:]
            if not (one.status in (403, 404, 422) or one.text in ('{"items":[]}', "[]") or self.is_for_all(one))
        ]

    def is_for_all(self, one: Answered) -> bool:
        """Whether an answer is about what belongs to no property."""
        for route in self.desks[one.service].client.app.routes:
            if not isinstance(route, APIRoute | CommandRoute) or one.method not in (route.methods or ()):
                continue
            if route.path_regex.match(one.path):
                whose = route.whose if isinstance(route, CommandRoute) else whose_data(route)
                return whose in (None, "none")
        return False

    def refusals(self, since: int) -> int:
        """How often services refused somebody for the property, since so many answers, or had nothing of it."""
        return sum(MISSING in one.text or one.text in ('{"items":[]}', "[]") for one in self.browsers.answered[since:])

    def entries(self) -> dict[str, int]:
        """How many entries each journal has that are no refusals."""
        return {
            name: sum(entry.draft.kind != "command.refused" for entry in desk.entries())
            for name, desk in self.desks.items()
        }


@contextmanager
def a_house(databases: Databases, *, in_rooms: bool = True) -> Iterator[House]:
    """Give all services after their stories, and the console before them; `in_rooms`: confidential ones, too."""
    load_all()  # each declares roles
    members = {AS_MEMBER: (HERE, THERE)}
    with ExitStack() as stack:
        known, desks = Known(), {}
        for subject in SUBJECTS:
            hear_of(subject, known)
            commands = in_rooms or not subject.manifest.confidential
            desk = told(subject, databases, works_for=[ELSEWHERE], others=members, commands=commands)
            desks[subject.manifest.name] = stack.enter_context(desk)
        people, properties = as_each(crews() | outsiders(), {"": [ELSEWHERE], **members})
        browsers = Browsers(*desks.values(), people=people, clock=lambda: MOMENT, properties=properties)
        with browsers.client:
            yield House(desks, browsers, known)


def what_the_stories_lack(house: House) -> None:
    """Have on record what pages show and no story tells of: rules, a patron with an account, a filing, a correction."""
    registry, settlement, inventory, wagering = (
        house.desks[name] for name in ("paytable-registry", "round-settlement", "table-inventory", "wagering-accounts")
    )
    rules = blackjack(MOMENT + timedelta(days=1)) | {"property": HERE}
    patron = {"property": HERE, "patron": "p-1", "wallet": "W-1", "access_code": accounts.CODE}
    account = {"property": HERE, "account": "GA-0", "table": rounds.TABLES[0], "patron": "p-1"}
    rated = {"property": THERE, "table": "BJ-01", "patron": "p-1"}
    sale, void = f"/pit-events/{THERE}/BJ-01/2", {"replaces": 1, "reason": "typed twice"}
    mended = f"/rounds/{HERE}/{rounds.TABLES[0]}/{rounds.TABLES[0]}-r1"
    for answer in (
        registry.post("/properties", riverbend(HERE), person="properties.file" + AS_EVERYBODY),
        registry.post(f"/properties/{HERE}/1/approve", person="properties.file.approve" + AS_EVERYBODY),
        registry.post("/submissions", rules, person="submissions.file" + AS_EVERYBODY),
        wagering.post("/patrons", patron, person="accounts.manage" + AS_EVERYBODY),
        wagering.post("/accounts", account, person="accounts.manage" + AS_EVERYBODY),
        wagering.post("/filings", filing_of("p-1"), person="filings.prepare" + AS_EVERYBODY),
        inventory.post("/ratings", rated, person="ratings.enter" + AS_EVERYBODY),
        propose(settlement, person="rounds.correct" + AS_EVERYBODY, path=mended),
        inventory.post(f"{sale}/changes", void, person="pit.correct" + AS_EVERYBODY),
    ):
        assert answer.is_success, answer.text
