"""What services use that are not on the web kit yet. It goes with the last of them."""

from http import HTTPStatus

from fastapi.responses import JSONResponse

from shared.contracts.rejection import Reason, Rejected
from shared.runtime.web.problems import PROBLEM, Responses, problem_response


class Conflict(Rejected):
    """The request contradicts what is recorded."""

    def __init__(self, detail: str) -> None:
        super().__init__(Reason.CONTRADICTS, detail)


class NotFound(Rejected):
    """There is no such thing."""

    def __init__(self, detail: str) -> None:
        super().__init__(Reason.NOT_FOUND, detail)


def problems(**what: str) -> Responses:
    """Return the problems that a route answers with, as OpenAPI wants them: `_409="the key was used"`."""
    return {int(status[1:]): problem_response(text) for status, text in what.items()}


def problem(status: int, detail: str) -> JSONResponse:
    """Return a problem document that says no more than a status."""
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    return JSONResponse(body, status, media_type=PROBLEM)
