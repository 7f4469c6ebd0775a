"""Every page of the console: seen by people of the property that it is about, and by nobody else.

The pages are the routes of the console that answer somebody who is logged in. What they are about is found as people
find it, from page to page, so that a page that is new is tried as soon as something leads to it, and is missed until
then. A property is named wherever one can be: in the address, the query, a cookie, a form.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import unified_diff
from html import unescape
from typing import Final, NamedTuple
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import httpx
import pytest
from fastapi.routing import APIRoute

from tests.support import Databases
from tests.support.house import AS_MEMBER, ELSEWHERE, HERE, THERE, House, a_house, what_the_stories_lack
from tests.support.nightly import SomeOf, sampled
from tests.support.told import NOBODY, crews

pytestmark = sampled(1, of="a house and its neighbor")

BEGIN: Final = (
    "/",
    f"/p/{HERE}/days/2026-11-20",
    f"/p/{HERE}/floor?day=2026-11-20",
    f"/p/{HERE}/rounds?day=2026-11-20",
    f"/p/{HERE}/desk",
    f"/p/{HERE}/desk/count?count=1",
    f"/p/{THERE}/desk/counts/1",
    f"/p/{THERE}/pit-changes",
    f"/p/{THERE}/ratings?day=2026-11-20",
    f"/p/{THERE}/pit-events/BJ-01/1/void",  # the event that is found by links has a change that waits
    f"/p/{HERE}/search?q=BJ-01",
    f"/p/{THERE}/records/fill/1",
    f"/p/{HERE}/floor/stream",
    f"/p/{HERE}",
)
"""Where people begin: what a menu leads to, what they type into a field, and what a page fetches by itself."""
NOWHERE: Final = "nowhere"
"""A property that is not there."""
TRIED_MAX: Final = 12
"""How many addresses of a page are tried at most, until it is seen."""
LINK: Final = re.compile(r'(?:href|src)="(/[^"]*)"')
_AREA: Final = re.compile(r'<textarea[^>]* name="([^"]+)"[^>]*>([^<]*)</textarea>')
_UNTICKED: Final = re.compile(r'<input type="checkbox"(?![^>]* checked)[^>]*>')
_FIELD: Final = re.compile(r'<input[^>]* name="([^"]+)"[^>]* value="([^"]*)"')
_KEY: Final = re.compile(r"console\.[0-9a-f-]{36}")
_UNSAID: Final = frozenset({"property", "service", "name", "key", "theme", "month", "year", "what"})
"""What a page need not say of its address: it says it in other words, or is a picture, or a file."""


class Seen(NamedTuple):
    """A page as somebody of the property sees it."""

    route: APIRoute
    address: str
    crew: str
    answer: httpx.Response
    takes_form: bool
    """Whether a form can be sent to its address, too."""


@dataclass
class Visitors:
    """People with a session each, and what they are answered."""

    house: House
    sessions: dict[str, tuple[dict[str, str], str]] = field(default_factory=dict)

    def get(self, address: str, person: str, cookie: str = "") -> httpx.Response:
        """Return what somebody is answered, who may have another cookie besides the one of the session."""
        headers, _ = self._session(person)
        if address.partition("?")[0].endswith("/stream"):
            return self.house.browsers.listen(address, headers)
        return self.house.browsers.client.get(address, headers={"cookie": headers["cookie"] + cookie})

    def post(self, address: str, person: str, fields: Mapping[str, str]) -> httpx.Response:
        """Return what somebody is answered who sends a form."""
        headers, csrf = self._session(person)
        kind = {"content-type": "application/x-www-form-urlencoded"}
        content = urlencode({**fields, "csrf": csrf})
        return self.house.browsers.client.post(address, content=content, headers=headers | kind)

    def _session(self, person: str) -> tuple[dict[str, str], str]:
        if person not in self.sessions:
            self.sessions[person] = self.house.browsers.login(person)
        return self.sessions[person]


@pytest.fixture
def house(databases: Databases, patron_keys: None) -> Iterator[House]:
    """All services after their stories, and what pages show besides."""
    del patron_keys
    with a_house(databases) as found:
        what_the_stories_lack(found)
        yield found


def test_pages_are_for_the_people_of_a_property(house: House, some_of: SomeOf) -> None:
    """Each is seen by them and names what it is about; to anybody else it says what it says where nothing is."""
    visitors = Visitors(house)
    seen = look_around(visitors)
    assert {one.path for one in pages(house)} - seen.keys() == set(), "nobody of the property sees them"
    before = house.entries()
    for one in seen.values():
        match = one.route.path_regex.match(urlsplit(one.address).path)
        named = {} if match is None else match.groupdict()
        unsaid = {text for name, text in named.items() if name not in _UNSAID and not says(one.answer.text, text)}
        assert set() == unsaid, one.address
    for one in seen.values():
        if one.takes_form and "{property}" in one.route.path:
            asked = visitors.post(one.address, one.crew + AS_MEMBER, fields_of(one.answer.text))
            assert 200 == asked.status_code, f"{one.address}: {asked.text}"
    strangers = (*some_of(list(crews()), 2), NOBODY + AS_MEMBER)
    wrong = [line for one in seen.values() for stranger in strangers for line in shown(visitors, one, stranger)]
    assert [] == wrong
    assert before == house.entries()


def pages(house: House) -> list[APIRoute]:
    """The pages of the console that people look at, besides the doors to services, which other tests go through."""
    return [one for one in house.browsers.pages if "GET" in (one.methods or ())]


def look_around(visitors: Visitors) -> dict[str, Seen]:
    """Go from page to page as people of the property, until each route has been seen; the pages, by route."""
    routes = pages(visitors.house)
    forms = {one.path for one in visitors.house.browsers.pages if "POST" in (one.methods or ())}
    seen: dict[str, Seen] = {}
    tried: dict[str, int] = {}
    coming, known = list(BEGIN), set(BEGIN)
    while coming:
        address = coming.pop(0)
        route = next((one for one in routes if one.path_regex.match(urlsplit(address).path)), None)
        if route is None or route.path in seen or tried.setdefault(route.path, 0) >= TRIED_MAX:
            continue
        tried[route.path] += 1
        for crew in crews():
            answer = visitors.get(address, crew + AS_MEMBER)
            leads = [unescape(one).partition("#")[0] for one in LINK.findall(answer.text)]
            leads += [answer.headers["location"]] if answer.is_redirect else []
            coming += [one for one in dict.fromkeys(leads) if one not in known]
            known.update(leads)
            if (answer.is_success or answer.is_redirect) and route.path not in seen:
                seen[route.path] = Seen(route, address, crew, answer, route.path in forms)
    return seen


def fields_of(page: str) -> dict[str, str]:
    """What a browser sends of the forms of a page, of which only empty texts were filled in, and no box was ticked."""
    page = _UNTICKED.sub("", page)
    texts = {name: unescape(value) or "seen twice" for name, value in _AREA.findall(page)}
    return texts | {name: unescape(value) for name, value in _FIELD.findall(page)}


def says(page: str, text: str) -> bool:
    """Whether a page names something, as people write it or have it in a form."""
    texts = [re.sub(r"<[^>]*>", " ", page), *(value for _, value in _FIELD.findall(page))]
    visible = unescape(" ".join(texts)).casefold().replace("-", " ")
    return unquote(text).casefold().replace("-", " ") in visible


def shown(visitors: Visitors, page: Seen, stranger: str) -> Iterator[str]:
    """Ask for a page as somebody who may not see it, the property named in each place; yield what gives it away."""
    house, there = visitors.house, THERE if THERE in page.address else HERE
    for place in PLACES:
        if place == "form" and not page.takes_form:
            continue
        since = len(house.browsers.answered)
        said = [PLACES[place](visitors, page, stranger, name) for name in (there, NOWHERE)]
        at = f"{stranger} at {page.address}, {there} in the {place}: "
        yield from (at + leak for leak in house.leaks(since) if f"/{ELSEWHERE}" not in leak.partition(": ")[0])
        told, of_nowhere = (as_told(answer, name) for answer, name in zip(said, (there, NOWHERE), strict=True))
        if told != of_nowhere:
            yield at + "\n".join(unified_diff(told, of_nowhere, n=0))
        if said[0].status_code not in (200, 303, 401, 403, 404, 422):
            yield f"{at}{said[0].status_code}"


def as_told(answer: httpx.Response, property_name: str) -> list[str]:
    """What somebody is told, but for the name of the property, and the key of a form."""
    said = "\n".join([str(answer.status_code), answer.headers.get("location", ""), _KEY.sub("?", answer.text)])
    return said.replace(property_name, "?").splitlines()


def _in_address(visitors: Visitors, page: Seen, stranger: str, name: str) -> httpx.Response:
    return visitors.get(_about(page.address, name), stranger)


def _beside_own(visitors: Visitors, page: Seen, stranger: str, name: str) -> httpx.Response:
    return visitors.get(_with(_about(page.address, name), property=ELSEWHERE), stranger, f"; property={ELSEWHERE}")


def _in_query(visitors: Visitors, page: Seen, stranger: str, name: str) -> httpx.Response:
    return visitors.get(_with(_about(page.address, ELSEWHERE), property=name), stranger)


def _in_cookie(visitors: Visitors, page: Seen, stranger: str, name: str) -> httpx.Response:
    return visitors.get(_about(page.address, ELSEWHERE), stranger, f"; property={name}; pitledger-property={name}")


def _in_form(visitors: Visitors, page: Seen, stranger: str, name: str) -> httpx.Response:
    fields = {key: _about(value, name) for key, value in fields_of(page.answer.text).items()}
    return visitors.post(_about(page.address, ELSEWHERE), stranger, fields | {"property": name})


PLACES: Final = {
    "address": _in_address,
    "beside one's own": _beside_own,
    "query": _in_query,
    "cookie": _in_cookie,
    "form": _in_form,
}
"""Where somebody may name a property."""


def _about(address: str, name: str) -> str:
    """An address, about another property."""
    return address.replace(HERE, name).replace(THERE, name)


def _with(address: str, **more: str) -> str:
    parts = urlsplit(address)
    return parts._replace(query=urlencode([*parse_qsl(parts.query), *more.items()])).geturl()
