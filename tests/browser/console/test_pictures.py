"""The pictures of the documentation, as the console shows the demo: `make pictures` takes them again."""

import os
from pathlib import Path
from typing import Final, NamedTuple

from playwright.sync_api import expect

from tests.browser.console.conftest import Visit
from tests.support.demo import PROPERTY, RunningDemo
from tests.support.nightly import AT_NIGHT

SHOWN: Final = Path(__file__).parents[3] / "docs" / "console"
SIZE: Final = {"width": 1280, "height": 760}


class Picture(NamedTuple):
    """What a picture shows: a page of the property, from its top or from a heading, light or dark."""

    page: str
    begins: str = "h1"
    scheme: str = "light"


PICTURES: Final = {
    "floor": Picture("floor?day={day}"),
    "floor-dark": Picture("floor?day={day}", scheme="dark"),
    "round": Picture("rounds/{table}/{round}"),
    "day": Picture("days/{day}"),
    "report": Picture("reports/statistics?day={day}", begins="details:has(figure.chart)"),
}


@AT_NIGHT
def test_the_pictures_of_the_documentation_can_be_taken_again(demo: RunningDemo, visit: Visit, tmp_path: Path) -> None:
    """One of each page that the documentation shows; charts are drawn, and no page is refused."""
    assert {f"{name}.png" for name in PICTURES} == {one.name for one in SHOWN.iterdir()}
    folder = Path(os.environ.get("PICTURES", tmp_path))
    table, _, _ = demo.round_id.partition("-")
    for name, picture in PICTURES.items():
        where = picture.page.format(day=demo.gaming_day, table=table, round=demo.round_id)
        page = visit("demo.auditor", f"/p/{PROPERTY}/{where}", viewport=SIZE, color_scheme=picture.scheme)
        expect(page.locator(picture.begins).first).to_be_visible()
        for chart in page.locator("figure.chart img").all():
            chart.scroll_into_view_if_needed()
            expect(chart).to_have_js_property("complete", value=True)
        if picture.begins != "h1":
            page.locator(picture.begins).first.evaluate("one => one.scrollIntoView()")
        else:
            page.evaluate("scrollTo(0, 0)")
        page.screenshot(path=folder / f"{name}.png")
