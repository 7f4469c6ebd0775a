"""Routes from command models: a command is one frozen model, from which its POST route is generated.

    class VoidSlip(Command):
        \"""Void a slip that has not been received.\"""

        property: Name
        slip: SlipKind
        number: SlipNumber
        reason: Reason

    command_route(router, engine, VoidSlip, "/slips/{property}/{slip}/{number}/void", role=VOID_SLIPS, answers=Slip)

Fields named in the path become path parameters, the others members of the JSON body. The route itself parses and
validates the whole request at once, so that one answer reports every mistake.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from copy import copy
from inspect import Parameter, Signature, cleandoc
from types import UnionType
from typing import Annotated, Any, Final, Generic, Literal, Protocol, TypeVar

from fastapi import APIRouter, Body, Header, Path, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, TypeAdapter, ValidationError, create_model
from pydantic_core import from_json
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Scope

from shared.contracts.envelope import Contract, Identifier
from shared.contracts.json_text import MemberTwice, read_json
from shared.contracts.rejection import Reason
from shared.rules.errors import Finding
from shared.runtime.commands.command import Approving, Command
from shared.runtime.commands.idempotency import Answer
from shared.runtime.http.access import (
    LISTED_MAX,
    MISTAKES_MAX,
    Caller,
    Whose,
    caller_for_own,
    caller_with,
    require_known_parameters,
    require_property_declared,
    require_role,
    too_many_mistakes,
)
from shared.runtime.http.conditional_requests import JSON
from shared.runtime.http.problems import OF_CALLERS, problem, problems
from shared.runtime.http.roles import Role

IdempotencyKey = Annotated[
    Identifier,
    Header(
        alias="Idempotency-Key",
        description="the caller's unique name for this command: a retry has no further effect and gets the same answer",
    ),
]
"""The Idempotency-Key header, as a parameter of a route."""

COMMAND_REASONS: Final = (
    Reason.MALFORMED,
    *OF_CALLERS,
    Reason.KEY_REUSED,
    Reason.TRY_AGAIN,
    Reason.JOURNAL_IN_DOUBT,
)
"""The reasons for which every command may be rejected."""

SUBJECT: Final = "x-subject"
"""The member of an OpenAPI operation that contains the path of its command's approval subject."""

_KEY_HEADER: Final = "Idempotency-Key"
_PLACEHOLDER: Final = re.compile(r"{(\w+)}")
_BODY: Final = "body"

_KEY_MISSING = "it is missing: name this command, by a UUID for instance; sent again with that name, it is done once"
_KEY_TWICE = "it is there more than once: a command has one name"
_key: TypeAdapter[str] = TypeAdapter(Identifier)


class CommandEngine(Protocol):
    """Executes commands, each once under its key."""

    async def do(self, command: Any, *, person: str, key: str) -> Answer:
        """Return the answer to a command; a retry under the same key gets the same answer.

        Raises: Rejected if the key was used for another command; database errors if the command could not be committed.
        """


CommandT = TypeVar("CommandT", bound=Contract)

Prepare = Callable[[CommandT, str, str], Awaitable[Any]]
"""Build the command from a valid request, the person and the key, for example by hashing an access code first."""

MayDo = Callable[[Caller, CommandT], Awaitable[None]]
"""Check that a caller works for the property of the data that a command changes. Raises: Rejected."""

CommandWhose = Literal["named", "every", "none"] | MayDo[CommandT]
"""Whose data a command changes: the named property's, every property's or no property's, or a check by a function."""

_Errors = list[dict[str, Any]]


def command_route(
    router: APIRouter,
    engine: CommandEngine,
    model: type[CommandT],
    path: str,
    *,
    role: Role,
    answers: type[BaseModel] | UnionType,
    status: int = 200,
    rejects: Sequence[Reason] = (),
    prepare: Prepare[CommandT] | None = None,
    tag: str | None = None,
    subject: str | None = None,
    whose: CommandWhose[CommandT] = "named",
) -> None:
    """Add the POST route of a command to a router, for callers with the role.

    `answers` is the model of the answer to an accepted command; `status` is its HTTP status. `rejects` are the reasons
    for rejections beyond those of every command. `prepare` builds the command that is executed. `tag` is the route's
    group in the OpenAPI document, by default the router's. `subject` is the whole path of the GET route of the approval
    subject, with fields of the command as parameters; the OpenAPI document lists it as `x-subject`, and an approval
    names the hash of what that route returns. `whose` is whose data the command changes. Summary and description come
    from the model's docstring.

    Raises: ValueError if a path names a field that the model lacks, or if an approval has no subject.
    """
    in_path = frozenset(_PLACEHOLDER.findall(router.prefix + path))
    unknown = (in_path | set(_PLACEHOLDER.findall(subject or ""))) - model.model_fields.keys()
    if unknown:
        raise ValueError(f"POST {router.prefix + path}: {model.__name__} has no field {', '.join(sorted(unknown))}")
    approves = issubclass(model, Approving)
    if approves and subject is None:
        raise ValueError(f"POST {router.prefix + path}: {model.__name__} approves something: say where that is read")
    endpoint = _Endpoint(engine, model, in_path, role, status, prepare, whose)
    title, _, description = cleandoc(model.__doc__ or "").partition("\n")

    def describe() -> BaseRoute:
        described = APIRouter(prefix=router.prefix, tags=router.tags)
        described.add_api_route(
            path,
            _Described(endpoint),
            methods=["POST"],
            name=re.sub(r"(?<!^)(?=[A-Z])", "_", model.__name__).lower(),
            status_code=status,
            response_model=answers,
            summary=title.rstrip("."),
            description=description.strip() or title,
            tags=None if tag is None else [tag],
            responses=problems(*COMMAND_REASONS, *rejects, *((Reason.NOT_AS_SHOWN,) if approves else ())),
            openapi_extra=None if subject is None else {SUBJECT: subject},
        )
        return described.routes[0]

    router.routes.append(CommandRoute(router.prefix + path, endpoint, describe))


class CommandRoute(Route):
    """The POST route of a command. `describe` builds the equivalent FastAPI route, for the OpenAPI document only.

    Building the equivalent takes a thousand times as long as a request, so it waits until the document is requested.
    """

    def __init__(self, path: str, command: "_Endpoint[Any]", describe: Callable[[], BaseRoute]) -> None:
        super().__init__(path, command.__call__, methods=["POST"])
        self.endpoint = command
        self.describe = describe
        self.whose = command.whose
        require_property_declared(self, command.whose, is_named=command.names_property)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return whether a request matches this route; if so, set the route in its scope as the framework does."""
        match, child_scope = super().matches(scope)
        if match is not Match.NONE:
            child_scope["route"] = self
        return match, child_scope


class _Described:
    """A placeholder endpoint that is never called. OpenAPI describes the command from its signature."""

    def __init__(self, command: "_Endpoint[Any]") -> None:
        self.__signature__ = command.signature()

    async def __call__(self) -> None:
        """Do nothing: only the signature is used."""


class _Endpoint(Generic[CommandT]):
    """The endpoint of one command, called with the raw request."""

    def __init__(
        self,
        engine: CommandEngine,
        model: type[CommandT],
        in_path: frozenset[str],
        role: Role,
        status: int,
        prepare: Prepare[CommandT] | None,
        whose: CommandWhose[CommandT],
    ) -> None:
        self.names_property = "property" in model.model_fields
        self.whose: Whose = "own" if callable(whose) else whose
        self._role = role
        self._whose = whose
        self._engine = engine
        self._model = model
        self._in_path = in_path
        self._roles = frozenset((role.name,))
        self._status = status
        self._prepare = prepare
        # Path parameters are text, even for fields that accept only whole numbers.
        self._converted: Mapping[str, TypeAdapter[Any]] = {
            name: TypeAdapter(model.model_fields[name].rebuild_annotation())
            for name in in_path
            if model.model_fields[name].annotation is not str
        }

    def signature(self) -> Signature:
        """Return the signature that an equivalent FastAPI endpoint would have."""
        return _signature(self._model, self._in_path, self._role, self._whose)

    async def __call__(self, request: Request) -> Response:
        """Execute the command in a request, and return its answer. Raises: Rejected, RequestValidationError."""
        caller = await caller_with(request, self._roles)
        require_known_parameters(request, frozenset())
        command, key = self._read(request.path_params, await request.body(), request.headers.getlist(_KEY_HEADER))
        if callable(self._whose):
            await self._whose(caller, command)
        elif self._whose != "none":
            of_command: str | None = getattr(command, "property", None)
            caller.require_properties(() if of_command is None else (of_command,))
        person = caller.person
        wanted = command if self._prepare is None else await self._prepare(command, person, key)
        answer = await self._engine.do(wanted, person=person, key=key)
        if answer.reason is not None:
            rejection = from_json(answer.body)
            found = [Finding(**one) for one in rejection.get("problems", ())]
            return problem(answer.reason, rejection["detail"], paragraph=rejection.get("cites"), found=found)
        headers = {} if answer.location is None else {"Location": answer.location}
        return Response(answer.body, self._status, headers, JSON)

    def _read(self, in_path: Mapping[str, str], raw: bytes, given: Sequence[str]) -> tuple[CommandT, str]:
        """Return the command and its Idempotency-Key. Raises: RequestValidationError with every mistake."""
        mistakes: _Errors = []
        key, command = "", None
        if len(given) != 1:
            wrong = {"type": "key_twice", "msg": _KEY_TWICE} if given else {"type": "missing_key", "msg": _KEY_MISSING}
            mistakes.append({"loc": ("header", _KEY_HEADER), **wrong})
        else:
            try:
                key = _key.validate_python(given[0])
            except ValidationError as error:
                mistakes += _located(error, lambda place: ("header", _KEY_HEADER, *place))
        body = self._body(raw, mistakes)
        if body is not None:
            try:
                command = self._model.model_validate(body | self._path_values(in_path))
            except ValidationError as error:
                mistakes += _located(
                    error, lambda place: ("path" if place[:1] and place[0] in self._in_path else _BODY, *place)
                )
        if mistakes or command is None:
            raise RequestValidationError(mistakes)
        return command, key

    def _body(self, raw: bytes, mistakes: _Errors) -> dict[str, Any] | None:
        """Return the body's members, or None for a body that is not an object or has too many unknown members.

        An empty body has no members.
        """
        try:
            body = read_json(raw) if raw else {}
        except MemberTwice as error:
            mistakes.append({"type": "member_twice", "loc": (_BODY,), "msg": str(error)})
            return None
        except ValueError as error:
            mistakes.append({"type": "json_invalid", "loc": (_BODY,), "msg": f"no JSON: {error}"})
            return None
        if not isinstance(body, dict):
            mistakes.append({"type": "dict_type", "loc": (_BODY,), "msg": "must be an object"})
            return None
        for name in self._in_path & body.keys():
            mistakes.append({"type": "extra_forbidden", "loc": (_BODY, name), "msg": "stands in the path"})
        unknown = [name for name in body if name not in self._model.model_fields]
        if len(unknown) <= MISTAKES_MAX:  # validating the command reports each unknown member
            return body
        for name in unknown[:MISTAKES_MAX]:
            mistakes.append({"type": "extra_forbidden", "loc": (_BODY, name), "msg": "there is no such member"})
        return None

    def _path_values(self, in_path: Mapping[str, str]) -> dict[str, Any]:
        """Return the path parameters, converted to the types of their fields, or as text if that fails."""
        values: dict[str, Any] = dict(in_path)
        for name, adapter in self._converted.items():
            try:
                values[name] = adapter.validate_strings(values[name])
            except ValidationError:
                continue  # validating the command reports the mistake
        return values


def _signature(model: type[Contract], in_path: Iterable[str], role: Role, whose: CommandWhose[Any]) -> Signature:
    fields = model.model_fields
    annotations: dict[str, Any] = {
        name: Annotated[fields[name].rebuild_annotation(), Path(description=fields[name].description)]
        for name in fields
        if name in in_path
    }
    first = model.IN_ORDER if issubclass(model, Command) else ()
    in_body: dict[str, Any] = {
        name: (fields[name].annotation, copy(fields[name]))
        for name in dict.fromkeys((*first, *fields))
        if name not in in_path
    }
    if in_body:
        made: Any = create_model(
            model.__name__, __base__=Contract, __doc__=model.__doc__, __module__=model.__module__, **in_body
        )
        annotations["_body"] = Annotated[made, Body()]
    annotations["_person"] = Annotated[
        Any, caller_for_own(role) if callable(whose) else require_role(role, whose=whose)
    ]
    annotations["_key"] = IdempotencyKey
    return Signature(
        [Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation) for name, annotation in annotations.items()]
    )


def _located(error: ValidationError, place: Callable[[tuple[int | str, ...]], tuple[int | str, ...]]) -> _Errors:
    """Return validation errors with their locations in the request; if there are too many, only their number."""
    if (count := error.error_count()) > LISTED_MAX:
        return [too_many_mistakes(count)]
    return [
        {**mistake, "loc": place(mistake["loc"])} for mistake in error.errors(include_url=False, include_input=False)
    ]
