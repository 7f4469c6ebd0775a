"""The forms of commands are those of the services as they run, however late one answers and however it changes."""

import asyncio
from datetime import timedelta

import httpx

from services.console.operations import Operations
from tests.support import eventually
from tests.support.console import MovedClock, Stage, StubServices
from tests.support.openapi import PATH, document_of

INVENTORY = "table-inventory"
FORM = "/do/table-inventory/request-slip"
DOCUMENT = (INVENTORY, "GET", PATH)


def test_a_service_that_does_not_answer_yet_has_its_forms_as_soon_as_it_does(stage: Stage) -> None:
    """Meanwhile its forms say so, those of other services are there, and the quarantine names it as missing."""
    stage.services.answers[DOCUMENT] = (503, {"title": "Try again"})
    browser = stage.browser("pit.pat")
    early = browser.get(FORM)
    assert (503, True) == (early.status_code, f"the commands of {INVENTORY} cannot be shown" in early.text)
    assert 200 == browser.get("/do/round-settlement/propose-correction").status_code
    assert INVENTORY in {request.url.host for request in _asked_for_quarantine(stage)}
    del stage.services.answers[DOCUMENT]
    assert 503 == browser.get(FORM).status_code, "it is asked again after some seconds"
    stage.clock.moved = timedelta(seconds=6)
    eventually(lambda: 200 == browser.get(FORM).status_code, because="its document has been read")


def test_a_service_that_was_upgraded_has_other_forms(stage: Stage) -> None:
    """Its document is read again every few minutes; a service that has stopped keeps the forms that it had."""
    browser = stage.browser("pit.pat")
    assert 200 == browser.get(FORM).status_code
    stage.services.answers[DOCUMENT] = (503, {"title": "Try again"})
    stage.clock.moved = timedelta(minutes=6)
    assert 200 == browser.get(FORM).status_code
    without = {**document_of(INVENTORY), "paths": {}}
    stage.services.answers[DOCUMENT] = (200, without)
    stage.clock.moved += timedelta(seconds=6)
    eventually(lambda: 404 == browser.get(FORM).status_code, because="its document has been read again")


def test_nobody_waits_for_a_service_that_stopped_answering(stage: Stage) -> None:
    """Its document is due, and is asked for; pages go on with the commands that it had."""
    browser = stage.browser("pit.pat")
    assert 200 == browser.get(FORM).status_code
    stage.services.silent.add(INVENTORY)
    for _ in range(2):
        stage.clock.moved += timedelta(minutes=6)
        assert 200 == browser.get(FORM).status_code


def test_a_request_that_is_given_up_leaves_the_reading_to_others() -> None:
    """The first page of a console waits for a service; whoever closes it takes nothing from the next one."""

    async def work() -> None:
        services = StubServices()
        async with httpx.AsyncClient(transport=services) as client:
            operations = Operations({INVENTORY: f"http://{INVENTORY}"}, client, MovedClock())
            services.silent.add(INVENTORY)
            given_up = asyncio.create_task(operations.refresh())
            await asyncio.sleep(0)
            given_up.cancel()
            await asyncio.wait([given_up])
            services.speak()
            await operations.refresh()
            assert operations.find(INVENTORY, "request-slip") is not None

    asyncio.run(work())


def test_the_quarantine_is_of_the_services_that_have_one(stage: Stage) -> None:
    """The registry reads no topics."""
    stage.browser("pit.pat")
    found = {request.url.host for request in _asked_for_quarantine(stage)}
    assert INVENTORY in found
    assert "paytable-registry" not in found


def _asked_for_quarantine(stage: Stage) -> list[httpx.Request]:
    asked = len(stage.services.asked)
    stage.browser("pit.pat").get("/p/riverside/quarantine")
    return [one for one in stage.services.asked[asked:] if one.url.path == "/quarantine"]
