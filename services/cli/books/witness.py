"""`pitledger witness`: cosign the checkpoints of append-only logs, on an independent machine."""

import asyncio
import signal
from pathlib import Path
from time import time
from typing import Annotated, Final

import typer
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request as HttpRequest
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from services.cli.exits import UsageWrong
from services.cli.operations.keys import read_verifiers
from services.cli.output import message
from shared.journal.cosignature import WitnessKey
from shared.journal.signed_note import CheckpointError, Signer
from shared.journal.witness import REQUEST_BYTES_MAX, OtherSize, State, Witness, WitnessRefusal, WitnessRequest
from shared.runtime.errors import FatalServiceError
from shared.runtime.http.serving import listen, server_of

PORT: Final = 7380
_CONFLICT = {"Content-Type": "text/x.tlog.size"}
_CONNECTIONS_MAX: Final = 64


def witness(
    name: Annotated[str, typer.Argument(help="Name of the witness, such as witness.example.com/w1.")],
    key: Annotated[Path, typer.Option(help="File of the witness's private key, PEM.")],
    state: Annotated[Path, typer.Option(help="Directory for the latest cosigned checkpoint of each log.")],
    logs: Annotated[
        list[str] | None,
        typer.Option(
            "--log", metavar="KEY|FILE", help="Verifier key of a log, or a file with one per line; may be repeated."
        ),
    ] = None,
    new: Annotated[
        bool, typer.Option("--new", help="Create the key file and the directory, print the public key, and exit.")
    ] = False,
    host: Annotated[str, typer.Option(help="IP address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = PORT,
) -> None:
    """Cosign services' checkpoints until Ctrl-C, each only with proof that its log is append-only.

    The witness needs no database and no broker. Run it on a machine whose owner cannot alter them. It implements C2SP
    tlog-witness, and so interoperates with other logs and witnesses. For each log, the witness stores the latest
    checkpoint that it cosigned. Keep the state directory as long as the key, and never restore either from a backup: a
    witness that has lost its state must start again with --new, under a new key.

    Example: pitledger witness witness.example.com/w1 --key w1.pem --state /var/lib/witness --new
    Example: pitledger witness witness.example.com/w1 --key w1.pem --state /var/lib/witness --log verifiers.txt
    """
    try:
        if new:
            signer = Signer.generate(name)
            state.mkdir(mode=0o700, parents=True)
            signer.to_pem(key)
            typer.echo(str(WitnessKey.of(signer)))
            return
        signer = Signer.from_pem(key, name)
        if not logs:
            raise UsageWrong("--log is missing: give the verifier keys of the services whose checkpoints it is to see")
        with State(state) as held:
            app = application(Witness(signer, read_verifiers(logs), held, lambda: int(time())))
            message(f"witness {WitnessKey.of(signer)} listens on {host}:{port}")
            asyncio.run(_serve(app, host, port))
    except FileExistsError as error:
        raise UsageWrong(f"{error.filename}: is there; a new witness has a new key and knows nothing") from error
    except (CheckpointError, OSError, FatalServiceError) as error:
        raise UsageWrong(f"witness {name}: {error}") from error


def application(cosigner: Witness) -> Starlette:
    """Return the HTTP application of a witness."""

    async def add_checkpoint(http: HttpRequest) -> Response:
        body = bytearray()
        async for chunk in http.stream():
            body += chunk
            if len(body) > REQUEST_BYTES_MAX:
                return PlainTextResponse(f"more than {REQUEST_BYTES_MAX} bytes\n", status_code=413)
        try:
            request = WitnessRequest.from_body(body.decode())
        except (CheckpointError, UnicodeDecodeError) as error:
            return PlainTextResponse(f"{error}\n", status_code=400)
        try:
            return PlainTextResponse(await run_in_threadpool(cosigner.add, request))
        except OtherSize as error:
            return Response(f"{error.size}\n", status_code=error.status, headers=_CONFLICT)
        except WitnessRefusal as error:
            message(f"not cosigned: {error}")
            return PlainTextResponse(f"{error}\n", status_code=error.status)

    async def checkpoint(http: HttpRequest) -> Response:
        note = await run_in_threadpool(cosigner.state.by_hash, http.path_params["origin"])
        return Response(status_code=404) if note is None else PlainTextResponse(note)

    routes = [
        Route("/add-checkpoint", add_checkpoint, methods=["POST"]),
        Route("/{origin:str}/checkpoint", checkpoint, methods=["GET"]),
    ]
    return Starlette(routes=routes)


async def _serve(app: Starlette, host: str, port: int) -> None:
    server = server_of(app, host=host, port=port, grace_seconds=5, limit_concurrency=_CONNECTIONS_MAX)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, lambda: setattr(server, "should_exit", True))
    await listen(server)
