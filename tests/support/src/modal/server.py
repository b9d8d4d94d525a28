"""A stand-in for Modal: a server with the calls that its SDK makes for sandboxes, on the SDK's own definitions.

A sandbox is a folder below `--folder`, and its programs run on this machine, each in a session of its own, with few variables. Its end
ends them. The server prints its address, and then what happens, as lines of JSON. It ends with its input.

`--unavailable N` lets the first N calls of each method fail.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import fcntl
import json
import os
import pty
import signal
import struct
import sys
import tempfile
import termios
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpclib.server
from google.protobuf.empty_pb2 import Empty
from grpclib import GRPCError, Status
from grpclib.events import RecvRequest, listen
from modal_proto import api_grpc, api_pb2, task_command_router_grpc, task_command_router_pb2 as router_pb2

TOKEN = ("ak-test", "as-test")
MAX = 64 * 1024


def tell(**event: Any) -> None:
    """Prints what has happened."""
    print(json.dumps(event), flush=True)


@dataclass
class Output:
    """What a program has written to one stream."""

    content: bytearray = field(default_factory=bytearray)
    is_closed: bool = False
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def collect(self, descriptor: int) -> None:
        """Reads a stream to its end."""
        loop = asyncio.get_running_loop()
        readable = asyncio.Event()
        os.set_blocking(descriptor, False)
        loop.add_reader(descriptor, readable.set)
        try:
            while True:
                try:
                    content = os.read(descriptor, MAX)
                except BlockingIOError:
                    readable.clear()
                    await readable.wait()
                    continue
                except OSError:
                    break  # A terminal without programs.
                if not content:
                    break
                await self.add(content)
        finally:
            loop.remove_reader(descriptor)
            os.close(descriptor)
            await self.add(b"", is_closed=True)

    async def add(self, content: bytes, is_closed: bool = False) -> None:
        async with self.changed:
            self.content += content
            self.is_closed |= is_closed
            self.changed.notify_all()


@dataclass
class Program:
    """A program of a sandbox."""

    process: asyncio.subprocess.Process
    stdin: int | None
    outputs: dict[int, Output]
    written: int = 0
    readers: list[asyncio.Task[None]] = field(default_factory=list)

    async def write(self, offset: int, content: bytes, eof: bool) -> None:
        """Writes to the input, as far as it is new."""
        content = content[max(self.written - offset, 0) :]
        self.written += len(content)
        writable = asyncio.Event()
        loop = asyncio.get_running_loop()
        while content:
            if self.stdin is None:
                raise GRPCError(Status.FAILED_PRECONDITION, "the input is closed")
            try:
                content = content[os.write(self.stdin, content) :]
            except BlockingIOError:
                writable.clear()
                loop.add_writer(self.stdin, writable.set)
                await writable.wait()
                loop.remove_writer(self.stdin)
            except OSError:
                raise GRPCError(Status.FAILED_PRECONDITION, "the program has closed its input") from None
        if eof and self.stdin is not None:
            os.close(self.stdin)
            self.stdin = None


@dataclass
class Sandbox:
    """A sandbox."""

    id: str
    definition: api_pb2.Sandbox
    tags: dict[str, str]
    folder: Path
    programs: dict[str, Program] = field(default_factory=dict)
    is_over: bool = False

    @property
    def task(self) -> str:
        return f"ta-{self.id}"

    def variables(self) -> dict[str, str]:
        """Returns the variables of its programs."""
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder), "MODAL_SANDBOX_ID": self.id}

    async def start(self, request: router_pb2.TaskExecStartRequest) -> Program:
        """Starts a program."""
        if request.HasField("pty_info"):
            return await self.start_on_terminal(request)
        pipes = [os.pipe() for _ in range(3)]
        (read_in, write_in), (read_out, write_out), (read_err, write_err) = pipes
        process = await asyncio.create_subprocess_exec(
            *request.command_args, stdin=read_in, stdout=write_out, stderr=write_err, cwd=self.folder, env=self.variables(),
            start_new_session=True,
        )  # fmt: skip
        for descriptor in (read_in, write_out, write_err):
            os.close(descriptor)
        os.set_blocking(write_in, False)
        program = Program(process, write_in, {1: Output(), 2: Output()})
        for number, descriptor in ((1, read_out), (2, read_err)):
            program.readers.append(asyncio.create_task(program.outputs[number].collect(descriptor)))
        return program

    async def start_on_terminal(self, request: router_pb2.TaskExecStartRequest) -> Program:
        """Starts a program on a terminal."""
        outer, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        process = await asyncio.create_subprocess_exec(
            *request.command_args, stdin=inner, stdout=inner, stderr=inner, cwd=self.folder, env=self.variables(),
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(inner)
        closed = Output(is_closed=True)
        program = Program(process, os.dup(outer), {1: Output(), 2: closed})
        program.readers.append(asyncio.create_task(program.outputs[1].collect(outer)))
        return program

    def end(self) -> None:
        """Kills all programs."""
        self.is_over = True
        mark = f"MODAL_SANDBOX_ID={self.id}".encode()
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    os.kill(int(folder.name), signal.SIGKILL)
            except OSError:
                pass


Handler = Callable[[Any], Any]


@dataclass
class Server:
    """All sandboxes, and the calls of the SDK."""

    folder: Path
    unavailable: int
    address: str = ""
    sandboxes: dict[str, Sandbox] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)

    async def admit(self, event: RecvRequest) -> None:
        """Refuses calls without the token, and the first calls of each method."""
        name = event.method_name.rsplit("/", 1)[-1]
        self.calls[name] = self.calls.get(name, 0) + 1
        if self.calls[name] <= self.unavailable:
            raise GRPCError(Status.UNAVAILABLE, "the service is not available")
        is_router = "TaskCommandRouter" in event.method_name
        found = (event.metadata.get("x-modal-token-id"), event.metadata.get("x-modal-token-secret"))
        if found != TOKEN and not (is_router and event.metadata.get("authorization") == "Bearer a.b.c"):
            raise GRPCError(Status.UNAUTHENTICATED, f"the token {found[0]} with {found[1]} is not known")

    def sandbox(self, id: str) -> Sandbox:
        """Returns a sandbox."""
        if id not in self.sandboxes:
            raise GRPCError(Status.NOT_FOUND, f"there is no sandbox {id}")
        return self.sandboxes[id]

    def running(self, task: str) -> Sandbox:
        """Returns the running sandbox of a task."""
        sandbox = self.sandbox(task.removeprefix("ta-"))
        if sandbox.is_over:
            raise GRPCError(Status.NOT_FOUND, "the sandbox has shut down")
        return sandbox

    def program(self, request: Any) -> Program:
        """Returns the program that a request names."""
        program = self.running(request.task_id).programs.get(request.exec_id)
        if program is None:
            raise GRPCError(Status.NOT_FOUND, f"there is no program {request.exec_id}")
        return program

    # Calls of the main service.

    async def ClientHello(self, _: Empty) -> api_pb2.ClientHelloResponse:
        return api_pb2.ClientHelloResponse()

    async def AppGetOrCreate(self, request: api_pb2.AppGetOrCreateRequest) -> api_pb2.AppGetOrCreateResponse:
        return api_pb2.AppGetOrCreateResponse(app_id=f"ap-{request.app_name}")

    async def EnvironmentGetOrCreate(self, _: Any) -> api_pb2.EnvironmentGetOrCreateResponse:
        settings = api_pb2.EnvironmentSettings(image_builder_version="2025.06")
        metadata = api_pb2.EnvironmentMetadata(name="main", settings=settings)
        return api_pb2.EnvironmentGetOrCreateResponse(environment_id="en-1", metadata=metadata)

    async def ImageGetOrCreate(self, request: api_pb2.ImageGetOrCreateRequest) -> api_pb2.ImageGetOrCreateResponse:
        tell(image=list(request.image.dockerfile_commands))
        result = api_pb2.GenericResult(status=api_pb2.GenericResult.GENERIC_STATUS_SUCCESS)
        metadata = api_pb2.ImageMetadata(image_builder_version="2025.06")
        return api_pb2.ImageGetOrCreateResponse(image_id="im-1", result=result, metadata=metadata)

    async def AuthTokenGet(self, _: Any) -> api_pb2.AuthTokenGetResponse:
        claims = base64.urlsafe_b64encode(json.dumps({"exp": time.time() + 3600}).encode()).decode()
        return api_pb2.AuthTokenGetResponse(token=f"a.{claims}.c")

    async def SandboxCreate(self, request: api_pb2.SandboxCreateRequest) -> api_pb2.SandboxCreateResponse:
        # The SDK recognises the older kind of sandboxes by the length of their ids.
        return api_pb2.SandboxCreateResponse(sandbox_id=self.create(request, f"sb-{len(self.sandboxes) + 1:022}").id)

    async def SandboxCreateV2(self, request: api_pb2.SandboxCreateV2Request) -> api_pb2.SandboxCreateV2Response:
        sandbox = self.create(request, f"sb-{len(self.sandboxes) + 1}V", secrets=len(request.secret_sources))
        return api_pb2.SandboxCreateV2Response(sandbox_id=sandbox.id, task_id=sandbox.task)

    def create(self, request: Any, id: str, secrets: int = 0) -> Sandbox:
        """Makes a sandbox."""
        definition = request.definition
        if any(not other.is_over and other.definition.name == definition.name for other in self.sandboxes.values()):
            raise GRPCError(Status.ALREADY_EXISTS, f"there is a sandbox {definition.name}")
        folder = Path(tempfile.mkdtemp(prefix=f"{id}-", dir=self.folder))
        tags = {tag.tag_name: tag.tag_value for tag in request.tags}
        sandbox = self.sandboxes[id] = Sandbox(id, definition, tags, folder)
        network = api_pb2.NetworkAccess.NetworkAccessType.Name(definition.network_access.network_access_type)
        resources = definition.resources
        tell(
            created=id, name=definition.name, app=request.app_id, timeout=definition.timeout_secs, network=network,
            secrets=secrets + len(definition.secret_ids), milli_cpu=[resources.milli_cpu, resources.milli_cpu_max],
            memory_mb=[resources.memory_mb, resources.memory_mb_max],
            gpu=[resources.gpu_config.gpu_type, resources.gpu_config.count],
        )  # fmt: skip
        asyncio.get_running_loop().call_later(definition.timeout_secs, self.end, sandbox)
        return sandbox

    def end(self, sandbox: Sandbox) -> None:
        """Ends a sandbox."""
        if not sandbox.is_over:
            sandbox.end()
            tell(ended=sandbox.id, name=sandbox.definition.name)

    async def SandboxGetTaskId(self, request: api_pb2.SandboxGetTaskIdRequest) -> api_pb2.SandboxGetTaskIdResponse:
        return api_pb2.SandboxGetTaskIdResponse(task_id=self.sandbox(request.sandbox_id).task)

    async def SandboxWait(self, request: api_pb2.SandboxWaitRequest) -> api_pb2.SandboxWaitResponse:
        is_over = self.sandbox(request.sandbox_id).is_over
        result = api_pb2.GenericResult(status=api_pb2.GenericResult.GENERIC_STATUS_TERMINATED) if is_over else None
        return api_pb2.SandboxWaitResponse(result=result)

    async def SandboxTerminate(self, request: api_pb2.SandboxTerminateRequest) -> api_pb2.SandboxTerminateResponse:
        self.end(self.sandbox(request.sandbox_id))
        return api_pb2.SandboxTerminateResponse()

    async def SandboxList(self, request: api_pb2.SandboxListRequest) -> api_pb2.SandboxListResponse:
        tags = {(tag.tag_name, tag.tag_value) for tag in request.tags}
        found = [
            api_pb2.SandboxInfo(id=sandbox.id)
            for sandbox in self.sandboxes.values()
            if not sandbox.is_over and tags <= sandbox.tags.items() and not request.before_timestamp
        ]
        for info in found:
            info.created_at = 1.0
        return api_pb2.SandboxListResponse(sandboxes=found)

    async def SandboxGetFromName(self, request: api_pb2.SandboxGetFromNameRequest) -> api_pb2.SandboxGetFromNameResponse:
        for sandbox in self.sandboxes.values():
            if sandbox.definition.name == request.sandbox_name and not sandbox.is_over:
                return api_pb2.SandboxGetFromNameResponse(sandbox_id=sandbox.id)
        raise GRPCError(Status.NOT_FOUND, f"there is no sandbox {request.sandbox_name}")

    async def TaskGetCommandRouterAccess(self, request: Any) -> api_pb2.TaskGetCommandRouterAccessResponse:
        self.running(request.task_id)
        return api_pb2.TaskGetCommandRouterAccessResponse(url=self.address, jwt="a.b.c")

    async def SandboxGetCommandRouterAccess(self, request: Any) -> api_pb2.SandboxGetCommandRouterAccessResponse:
        self.running(request.task_id or request.sandbox_id)
        return api_pb2.SandboxGetCommandRouterAccessResponse(url=self.address, jwt="a.b.c")

    # Calls of the service for commands.

    async def TaskExecStart(self, request: router_pb2.TaskExecStartRequest) -> router_pb2.TaskExecStartResponse:
        sandbox = self.running(request.task_id)
        if request.env or request.secret_ids or request.secret_sources or request.pty_info.env_term:
            tell(variables=request.exec_id)
        if request.exec_id not in sandbox.programs:
            try:
                sandbox.programs[request.exec_id] = await sandbox.start(request)
            except OSError as error:
                raise GRPCError(Status.INVALID_ARGUMENT, str(error)) from None
        return router_pb2.TaskExecStartResponse()

    async def TaskExecStdinWrite(self, request: router_pb2.TaskExecStdinWriteRequest) -> router_pb2.TaskExecStdinWriteResponse:
        await self.program(request).write(request.offset, request.data, request.eof)
        return router_pb2.TaskExecStdinWriteResponse()

    async def TaskExecStdioRead(self, stream: Any) -> None:
        request = await stream.recv_message()
        output = self.program(request).outputs[
            1 if request.file_descriptor == router_pb2.TASK_EXEC_STDIO_FILE_DESCRIPTOR_STDOUT else 2
        ]
        offset = request.offset
        while True:
            async with output.changed:
                await output.changed.wait_for(lambda: len(output.content) > offset or output.is_closed)
                content = bytes(output.content[offset : offset + MAX])
            if not content:
                return
            offset += len(content)
            await stream.send_message(router_pb2.TaskExecStdioReadResponse(data=content))

    async def TaskExecWait(self, request: router_pb2.TaskExecWaitRequest) -> router_pb2.TaskExecWaitResponse:
        code = await self.program(request).process.wait()
        return router_pb2.TaskExecWaitResponse(code=code) if code >= 0 else router_pb2.TaskExecWaitResponse(signal=-code)


def service(base: type, server: Server) -> Any:
    """Returns a service whose calls are those of the server. It refuses the others."""

    def unary(name: str) -> Handler:
        # Most calls of the newer kind of sandboxes are like those of the older one.
        handler = getattr(server, name, None) or getattr(server, name.removesuffix("V2"), None)

        async def call(_: Any, stream: Any) -> None:
            if handler is None:
                tell(unknown=name)
                raise GRPCError(Status.UNIMPLEMENTED, f"the stand-in for Modal has no {name}")
            if name == "TaskExecStdioRead":
                await handler(stream)
            else:
                await stream.send_message(await handler(await stream.recv_message()))

        return call

    return type("Service", (base,), {name: unary(name) for name in base.__abstractmethods__})()


async def serve(settings: argparse.Namespace) -> None:
    """Serves until the input ends."""
    server = Server(settings.folder, settings.unavailable)
    services = [service(base, server) for base in (api_grpc.ModalClientBase, task_command_router_grpc.TaskCommandRouterBase)]
    grpc = grpclib.server.Server(services)
    listen(grpc, RecvRequest, server.admit)
    await grpc.start("127.0.0.1", settings.port)
    port = grpc._server.sockets[0].getsockname()[1]
    server.address = f"http://127.0.0.1:{port}"
    tell(address=server.address)
    await asyncio.to_thread(sys.stdin.read)
    for sandbox in server.sandboxes.values():
        sandbox.end()
    os._exit(0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--unavailable", type=int, default=0)
    asyncio.run(serve(parser.parse_args()))
