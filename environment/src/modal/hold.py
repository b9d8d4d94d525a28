"""Keeps a sandbox of Modal, and runs programs in it for clients. The only part of toolc that uses Modal's SDK.

`hold` makes a sandbox and prints `ready`. Clients (`run.py`) connect to its socket, one for each program. The program ends when its input
ends, and ends the sandbox. `remove` ends a sandbox by its name. `check` checks that Modal accepts the token.

A failure is reported as one line on standard error.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import signal
import site
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

if sys.prefix == sys.base_prefix:
    # Python was started without the packages of the user, so that it ignores the current directory and variables.
    site.addsitedir(site.getusersitepackages())

try:
    import modal
    import modal.exception
except ImportError as error:
    sys.exit(
        f"the SDK of Modal cannot be loaded by `{sys.executable}` ({error}): install it with `{sys.executable} -m pip install modal`,"
        " or set `environment.modal.python` to a Python that has it"
    )

if tuple(int(part) for part in modal.__version__.split(".")[:2]) < (1, 5):
    sys.exit(
        f"the SDK of Modal of `{sys.executable}` is {modal.__version__}, but version 1.5 or later is required:"
        f" run `{sys.executable} -m pip install --upgrade modal`"
    )

Result = TypeVar("Result")

# The first program of the sandbox, which waits, and reaps orphaned processes.
WAIT = "while :; do sleep 3600 & wait $!; done"
# All sandboxes of toolc have this tag.
TAGS = {"made-by": "toolc"}
# The requested processors and memory (MiB). The limits are configured separately.
MIN_PROCESSORS = 0.125
MIN_MEMORY = 128
# The time limit for short commands, in seconds.
SHORT = 20
# The pauses before new attempts, in seconds.
DELAYS = (1, 2, 4)

# Frames between a client and this program: a byte for the kind, the length in four bytes, and the content.
START, INPUT, END_OF_INPUT = b"s", b"i", b"c"
STDOUT, STDERR, EXIT, FAILURE = b"o", b"e", b"x", b"f"


class Problem(Exception):
    """A failure whose text is for the user."""


def describe(error: BaseException) -> str:
    """Returns a message about a failure, as one line and without secrets."""
    text = " ".join(str(error).split()) or type(error).__name__
    for name in ("token_id", "token_secret"):
        secret = modal.config.config.get(name)
        text = text.replace(secret, "...") if secret else text
    if isinstance(error, Problem):
        return text
    if isinstance(error, modal.exception.AuthError):
        return (
            f"Modal does not accept a token ({text}): run `{sys.executable} -m modal token new`,"
            " or set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET"
        )
    if isinstance(error, (modal.exception.ConnectionError, ConnectionError, asyncio.TimeoutError)):
        return f"Modal cannot be reached ({text}): check the network, and MODAL_SERVER_URL if it is set"
    return f"{type(error).__name__}: {text}"


async def retry(call: Callable[[], Awaitable[Result]]) -> Result:
    """Repeats a call if the service is unavailable. The SDK itself repeats it for less than a second, and tries to connect for a minute."""
    for delay in DELAYS:
        try:
            return await call()
        except modal.exception.ServiceError:
            await asyncio.sleep(delay)
    return await call()


async def count(app: modal.App) -> int:
    """Returns how many sandboxes of toolc run in an app."""
    number = 0
    async for _ in modal.Sandbox.list.aio(app_id=app.app_id, tags=TAGS):
        number += 1
    return number


async def create(settings: argparse.Namespace) -> modal.Sandbox:
    """Makes the sandbox."""
    app = await retry(lambda: modal.App.lookup.aio(settings.app, create_if_missing=True))
    running = await retry(lambda: count(app))
    if running >= settings.max_sandboxes:
        raise Problem(
            f"the app `{settings.app}` of Modal has {running} running sandboxes, and `environment.modal.max_sandboxes` is"
            f" {settings.max_sandboxes}: end a task, or raise the limit"
        )
    image = modal.Image.from_registry(settings.image) if settings.image else modal.Image.debian_slim()
    make = lambda: modal.Sandbox.create.aio(
        "sh",
        "-c",
        WAIT,
        app=app,
        name=settings.name,
        tags=TAGS,
        image=image,
        timeout=settings.timeout,
        cpu=(min(MIN_PROCESSORS, settings.processors), settings.processors),
        memory=(min(MIN_MEMORY, settings.memory), settings.memory),
        block_network=not settings.network,
        gpu=settings.gpu,
    )
    try:
        return await retry(make)
    except modal.exception.AlreadyExistsError:
        # The name is unique, so an earlier attempt has made the sandbox, but the response was lost.
        return await modal.Sandbox.from_name.aio(settings.app, settings.name)


async def frames(reader: asyncio.StreamReader) -> AsyncIterator[tuple[bytes, bytes]]:
    """Reads the frames of a client until it closes the connection."""
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            head = await reader.readexactly(5)
            yield head[:1], await reader.readexactly(int.from_bytes(head[1:], "big"))


async def send(writer: asyncio.StreamWriter, kind: bytes, content: bytes) -> None:
    """Sends a frame to a client."""
    writer.write(kind + len(content).to_bytes(4, "big") + content)
    await writer.drain()


async def feed(process: Any, received: AsyncIterator[tuple[bytes, bytes]], has_input: bool) -> None:
    """Passes the input of a client to a program. Returns when the client closes the connection."""
    stdin = process.stdin
    if not has_input:
        stdin.write_eof()
        with contextlib.suppress(modal.exception.Error):
            await stdin.drain.aio()
    is_open = has_input
    async for kind, content in received:
        if not is_open:
            continue
        if kind == INPUT:
            stdin.write(content)
        else:
            stdin.write_eof()
        try:
            await stdin.drain.aio()
        except modal.exception.Error:
            # The program has ended, or has closed its input.
            is_open = False
        is_open = is_open and kind == INPUT


async def pump(stream: Any, writer: asyncio.StreamWriter, kind: bytes) -> None:
    """Passes the output of a program to a client."""
    async for content in stream:
        await send(writer, kind, content)


async def collect(process: Any, writer: asyncio.StreamWriter, terminal: bool) -> None:
    """Passes the output of a program to a client, and its exit code at the end."""
    outputs = [pump(process.stdout, writer, STDOUT)]
    if not terminal:
        outputs.append(pump(process.stderr, writer, STDERR))
    *_, code = await asyncio.gather(*outputs, process.wait.aio())
    await send(writer, EXIT, str(code).encode())


async def serve(sandbox: modal.Sandbox, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Runs the program that a client requests."""
    received = frames(reader)
    try:
        _, content = await anext(received)
        request = json.loads(content)
        process = await sandbox.exec.aio(*request["words"], text=False, pty=request["terminal"])
        program = asyncio.create_task(collect(process, writer, request["terminal"]))
        client = asyncio.create_task(feed(process, received, request["input"]))
        try:
            await asyncio.wait({program, client}, return_when=asyncio.FIRST_COMPLETED)
            # A failure of either task is a failure of the service.
            for task in (program, client):
                if task.done():
                    task.result()
        finally:
            for task in (program, client):
                task.cancel()
            await asyncio.gather(program, client, return_exceptions=True)
    except StopAsyncIteration:
        pass  # The client has closed the connection.
    except modal.exception.NotFoundError as error:
        await fail(writer, f"the sandbox has ended, for example at `environment.modal.max_minutes` ({describe(error)})")
    except Exception as error:
        await fail(writer, describe(error))
    finally:
        writer.close()


async def fail(writer: asyncio.StreamWriter, text: str) -> None:
    """Reports to a client why its program cannot run."""
    with contextlib.suppress(ConnectionError):
        await send(writer, FAILURE, text.encode())


async def hold(settings: argparse.Namespace) -> None:
    """Keeps a sandbox until the input ends or a signal arrives."""
    should_end = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, should_end.set)

    def read_input() -> None:
        if not os.read(0, 4096):
            loop.remove_reader(0)
            should_end.set()

    loop.add_reader(0, read_input)
    making = asyncio.create_task(create(settings))
    ending = asyncio.create_task(should_end.wait())
    await asyncio.wait({making, ending}, return_when=asyncio.FIRST_COMPLETED)
    if not making.done():
        # The sandbox may exist already.
        making.cancel()
        await asyncio.gather(making, return_exceptions=True)
        await end(settings.app, settings.name)
        return
    sandbox = making.result()
    try:
        # Connects to the machine of the sandbox. `true` has no effect, so it may be started twice.
        await retry(lambda: sandbox.exec.aio("true"))
        server = await asyncio.start_unix_server(lambda *streams: serve(sandbox, *streams), settings.socket)
        print("ready", flush=True)
        # Standard error is no longer read, so discard the warnings of the SDK.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        await ending
        server.close()
    finally:
        await retry(sandbox.terminate.aio)


async def end(app: str, name: str) -> bool:
    """Ends a sandbox. Returns whether it was running."""
    try:
        sandbox = await retry(lambda: modal.Sandbox.from_name.aio(app, name))
        await retry(sandbox.terminate.aio)
    except modal.exception.NotFoundError:
        return False
    return True


async def remove(settings: argparse.Namespace) -> None:
    """Ends a sandbox, and prints its name if it was running."""
    if await asyncio.wait_for(end(settings.app, settings.name), SHORT):
        print(settings.name)


async def check(_: argparse.Namespace) -> None:
    """Checks that Modal accepts the token."""

    async def greet() -> None:
        client = await modal.Client.from_env.aio()
        await client.hello.aio()

    await asyncio.wait_for(greet(), SHORT)


def arguments() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(required=True)
    holding = commands.add_parser("hold")
    holding.set_defaults(run=hold)
    for name, kind in [("socket", str), ("app", str), ("name", str), ("image", str), ("gpu", str), ("timeout", int), ("processors", float),
                       ("memory", int), ("max-sandboxes", int)]:
        holding.add_argument(f"--{name}", type=kind, required=name not in ("image", "gpu"))
    holding.add_argument("--network", action="store_true")
    removing = commands.add_parser("remove")
    removing.set_defaults(run=remove)
    removing.add_argument("app")
    removing.add_argument("name")
    commands.add_parser("check").set_defaults(run=check)
    return parser


def main() -> None:
    """Runs a command."""
    settings = arguments().parse_args()
    try:
        asyncio.run(settings.run(settings))
    except Exception as error:
        sys.exit(describe(error))


if __name__ == "__main__":
    main()
