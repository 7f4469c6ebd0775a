"""The paytable registry: a property, and versions of a submission, filed, approved by somebody else or not, returned.

It reads nothing.
"""

from datetime import timedelta

from tests.faults.subject import Ask, Subject
from tests.support.registry import APPROVE, FILE, blackjack, riverbend
from tests.support.worker import MOMENT

_VERSIONS = "/submissions/riverbend/blackjack"


def _filed(person: str, days: int, **stated: object) -> Ask:
    body = blackjack(MOMENT + timedelta(days=days)) | stated
    return Ask(person=person, path="/submissions", body=body, status=201)


SUBJECT = Subject(
    name="paytable-registry",
    people={"games.ray": [*FILE, *APPROVE], "games.kim": FILE, "compliance.ann": APPROVE},
    commands=[
        Ask(person="games.ray", path="/properties", body=riverbend(), status=201),
        Ask(person="games.ray", path="/properties/riverbend/1/approve", status=403),
        Ask(person="compliance.ann", path="/properties/riverbend/1/approve"),
        _filed("games.ray", 1),
        Ask(person="games.ray", path=f"{_VERSIONS}/1/approve", status=403),
        Ask(person="compliance.ann", path=f"{_VERSIONS}/1/approve"),
        _filed("games.kim", 2),
        Ask(person="compliance.ann", path=f"{_VERSIONS}/2/return", body={"reason": "not as discussed"}),
        _filed("games.kim", 3, stated_paybacks={"match_the_dealer": "95"}),
        Ask(person="compliance.ann", path=f"{_VERSIONS}/3/approve", body={"override": "rounded by hand"}),
    ],
    repeated=_filed("games.kim", 4),
)
