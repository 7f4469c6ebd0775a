"""Pages of rules submissions: versions, changes as text, computed and stated paybacks, and the payout sign."""

from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from services.console.console import Asked, page
from services.console.listing import Act, Record, cols, listed
from services.console.pages.days import zone_of
from services.console.services import REGISTRY, path, together
from services.console.words import say

_STEPS: Final = {
    "draft": ("replace-draft", "file-draft"),
    "filed": ("approve-submission", "return-submission", "withdraw-submission"),
    "approved": ("withdraw-submission",),
    "withdrawing": ("approve-withdrawal", "return-withdrawal"),
}


def routes() -> APIRouter:
    """Return the routes of these pages."""
    router = APIRouter(prefix="/p/{property}/submissions")

    @router.get("")
    async def submissions(request: Request, person: Asked, property: str) -> Response:
        here = {"property": property}
        versions, in_effect, properties = await together(
            person.calls.get_all(REGISTRY, "/submissions", property=property),
            person.calls.get(REGISTRY, "/submissions/in-effect", property=property),
            person.calls.get_all(REGISTRY, "/properties", property=property),
        )
        lists = [
            listed(
                "submissions.versions",
                versions,
                cols("game", "version", "regulation", "status", "phase", "effective_from", "filed_by", "approved_by"),
                link=lambda one: path("p", property, "submissions", one["game"], one["version"]),
                acts=lambda one: acts_of(one, property),
            ),
            listed(
                "submissions.in_effect",
                _flat(in_effect),
                cols("table", "game", "version", "regulation", "effective_from"),
            ),
            listed(
                "submissions.properties",
                properties,
                cols("version", "title", "status", "effective_from", "filed_by", "approved_by"),
                acts=lambda one: (
                    [
                        Act(REGISTRY, name, {**here, "version": one["version"]})
                        for name in ("approve-property", "return-property")
                    ]
                    if one["status"] == "filed"
                    else []
                ),
            ),
        ]
        more = [Act(REGISTRY, name) for name in ("file-submission", "draft-submission", "file-property")]
        return page(
            request,
            "lists.html",
            person,
            title=say("submissions.title"),
            lead="",
            more=more,
            lists=lists,
            zone=await zone_of(person, property),
        )

    @router.get("/{game}/{version}")
    async def version_page(
        request: Request, person: Asked, property: str, game: str, version: int, since: int = 0
    ) -> Response:
        at = path("submissions", property, game, version)
        shown = await person.calls.get(REGISTRY, at)
        before = since or version - 1
        paybacks, changes = await together(
            person.calls.get(REGISTRY, f"{at}/paybacks"),
            person.calls.get(REGISTRY, f"{path('submissions', property, game, before)}/diff/{version}")
            if before
            else _nothing(),
        )
        return page(
            request,
            "submission.html",
            person,
            shown=shown,
            paybacks=paybacks,
            changes=changes,
            before=before,
            acts=list(acts_of(shown, property)),
            zone=await zone_of(person, property),
        )

    @router.get("/{game}/{version}/{what}")
    async def document(person: Asked, property: str, game: str, version: int, what: str, form: str = "pdf") -> Response:
        answer = await person.calls.get_bytes(
            REGISTRY, path("submissions", property, game, version, what), **{"as": form}
        )
        name = f"{property}-{game}-{version}-{what}.{form}"
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(answer.content, media_type=answer.headers["content-type"], headers=headers)

    return router


def _flat(in_effect: Any) -> Any:
    """Return a flat record for each table, with the submission version in effect there."""
    if not in_effect:
        return in_effect
    return [{**(one.get("submission") or {}), **one} for one in in_effect["tables"]]


def acts_of(one: Record, property_name: str) -> list[Act]:
    """Return the commands that the status of a submission version allows."""
    values = {"property": property_name, "game": one["game"], "version": one["version"]}
    status = "withdrawing" if one.get("withdrawal_requested_at") and not one.get("withdrawn_at") else one["status"]
    return [Act(REGISTRY, name, values) for name in _STEPS.get(status, ())]


async def _nothing() -> None:
    """Return None: a first version has no previous version to compare with."""
