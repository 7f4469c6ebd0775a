"""Suspicious activity reports: prepared, released, sent, answered, withdrawn."""

from tests.faults.subject import Ask, Subject
from tests.support.accounts import PROPERTY
from tests.support.properties import property_event
from tests.support.sars import PEOPLE, sar_of

ANA, OFF = "sar.ana", "sar.off"
_PATH = f"/sars/{PROPERTY}"

SUBJECT = Subject(
    name="suspicious-activity",
    references={"properties": [property_event()]},
    people=PEOPLE,
    commands=[
        Ask(person=ANA, path="/sars", body=sar_of(), status=201),
        Ask(person=OFF, path=f"{_PATH}/1/release"),
        Ask(person=ANA, path=f"{_PATH}/1/filed", body={"tracking_id": "260000000001"}),
        Ask(person=ANA, path=f"{_PATH}/1/acknowledgement", body={"bsa_id": "31000000000009"}),
        Ask(person=ANA, path="/sars", body=sar_of(subject="p-2", dollars=9_000), status=201),
        Ask(person=ANA, path=f"{_PATH}/2/withdraw", body={"reason": "the play explains it"}),
        Ask(person=ANA, path="/sars", body=sar_of(subject=None), status=201),
    ],
    figures=["SELECT sar, status, file_by FROM suspicious_activity.sars ORDER BY 1"],
)
