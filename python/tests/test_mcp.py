"""The client of MCP servers, with scripted servers, and with the program `toolc` if it has been built."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

from toolc import ErrorKind, ToolError
from toolc.mcp import Client, McpError

SERVER = """
import json, sys, time

MODE = sys.argv[1] if len(sys.argv) > 1 else ""
seen = []

def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

def text(*texts, **more):
    return {"content": [{"type": "text", "text": one} for one in texts], **more}

def call(number, name, arguments):
    if name == "structured":
        send(id=number, result=text("{}", structuredContent=arguments))
    elif name == "null":
        send(id=number, result=text("null", structuredContent=None))
    elif name == "texts":
        send(id=number, result=text("a", "b"))
    elif name == "picture":
        send(id=number, result={"content": [{"type": "image", "data": "", "mimeType": "image/png"}, {"type": "text", "text": "a"}]})
    elif name == "failed":
        send(id=number, result=text("out of paper", isError=True))
    elif name == "invalid":
        problem = {"path": "/a", "expected": "b", "got": "c"}
        error = {"error": "invalid arguments", "kind": arguments["kind"], "problems": arguments.get("problems", [problem]), "exit_code": 2}
        send(id=number, result=text(json.dumps(error), isError=True))
    elif name == "unknown":
        send(id=number, error={"code": -32602, "message": "unknown tool", "data": [1]})
    elif name == "never":
        pass
    elif name == "seen":
        send(id=number, result=text("", structuredContent=seen))
    elif name == "asks":
        for question, method in (("q", "elicitation/create"), (7, "ping"), (8, "roots/list")):
            send(id=question, method=method, params={})
        send(method="notifications/progress", params={})
        send(id=999, result={})
        send(id="x", result={})
        send(id=number, result=text("asked"))
    elif name == "dies":
        sys.exit(3)
    elif name == "noise":
        print("Listening", flush=True)
    elif name == "array":
        print("[]", flush=True)
    elif name == "long":
        print("x" * 5000, flush=True)
    elif name == "odd":
        send(id=number, result=5)

waiting = []
for line in sys.stdin:
    message = json.loads(line)
    method, number, params = message.get("method"), message.get("id"), message.get("params", {})
    seen.append([method, params if method == "notifications/cancelled" else message.get("result", message.get("error"))])
    if method == "initialize":
        if MODE != "silent":
            version = "1999-01-01" if MODE == "old" else params["protocolVersion"]
            send(id=number, result={"protocolVersion": version, "serverInfo": {"name": "scripted"}, "capabilities": {}})
    elif method == "tools/list":
        page = int(params.get("cursor", 0))
        more = {"nextCursor": str(page + 1)} if page < 2 or MODE == "endless" else {}
        send(id=number, result={"tools": [{"name": f"tool_{page}"}], **more})
    elif method == "tools/call" and params["name"] == "reversed":
        waiting.append((number, params["arguments"]["n"]))
        if len(waiting) == 50:
            for one, n in reversed(waiting):
                send(id=one, result=text("", structuredContent=n))
    elif method == "tools/call":
        call(number, params["name"], params["arguments"])
    elif method == "fail":
        send(id=number, error="not an object")
if MODE == "stays":
    time.sleep(60)
"""


def scripted(mode: str = "", timeout: float = 20.0, max_bytes: int = 4000) -> Client:
    return Client.stdio([sys.executable, "-c", SERVER, mode], timeout=timeout, max_bytes=max_bytes)


class Results(unittest.TestCase):
    client: ClassVar[Client]

    @classmethod
    def setUpClass(cls) -> None:
        cls.client = scripted().__enter__()
        cls.addClassCleanup(cls.client.close)

    def test_the_server_says_what_it_is(self) -> None:
        self.assertEqual(self.client.server["serverInfo"], {"name": "scripted"})

    def test_all_pages_of_tools_are_read(self) -> None:
        self.assertEqual([one["name"] for one in self.client.tools()], ["tool_0", "tool_1", "tool_2"])

    def test_a_result_is_structured_or_a_text_or_its_parts(self) -> None:
        self.assertEqual(self.client.call("structured", {"a": [1]}), {"a": [1]})
        self.assertIsNone(self.client.call("null"))
        self.assertEqual(self.client.call("texts"), "a\nb")
        self.assertEqual([one["type"] for one in self.client.call("picture")], ["image", "text"])

    def test_a_failed_call_raises_the_error_of_the_tool(self) -> None:
        with self.assertRaises(ToolError) as raised:
            self.client.call("failed")
        self.assertEqual((raised.exception.message, raised.exception.kind), ("out of paper", ErrorKind.FAILED))
        for kind, known in (("invalid_arguments", ErrorKind.INVALID_ARGUMENTS), ("denied", ErrorKind.FAILED)):
            with self.assertRaises(ToolError) as raised:
                self.client.call("invalid", {"kind": kind})
            self.assertEqual((raised.exception.message, raised.exception.kind), ("invalid arguments", known))
            self.assertEqual([(one.path, one.expected, one.got) for one in raised.exception.problems], [("/a", "b", "c")])
            self.assertEqual(raised.exception.fields, {"exit_code": 2})
        with self.assertRaises(ToolError) as raised:
            self.client.call("invalid", {"kind": [], "problems": 5})
        self.assertEqual((raised.exception.kind, raised.exception.problems), (ErrorKind.FAILED, ()))

    def test_an_error_of_the_protocol_is_another_error(self) -> None:
        with self.assertRaisesRegex(McpError, r"^unknown tool \(-32602\)$") as raised:
            self.client.call("unknown")
        self.assertEqual((raised.exception.code, raised.exception.data), (-32602, [1]))
        for method in ("odd", "fail"):
            with self.assertRaisesRegex(McpError, "no message"):
                self.client.request("fail") if method == "fail" else self.client.call("odd")

    def test_questions_of_the_server_are_answered(self) -> None:
        self.assertEqual(self.client.call("asks"), "asked")
        answers = [one for method, one in self.client.call("seen") if method is None]
        self.assertEqual([one.get("code") for one in answers], [-32601, None, -32601])

    def test_answers_may_come_in_any_order(self) -> None:
        async def run() -> list[Any]:
            return await asyncio.gather(*(self.client.call_async("reversed", {"n": n}) for n in range(50)))

        self.assertEqual(asyncio.run(run()), list(range(50)))

    def test_a_call_that_takes_too_long_is_cancelled(self) -> None:
        with self.assertRaisesRegex(TimeoutError, r"^the server has not answered `tools/call` within 0.1 s$"):
            self.client.call("never", timeout=0.1)
        self.assertEqual(self.cancelled(), 1)

        async def run() -> None:
            with self.assertRaisesRegex(TimeoutError, "within 0.1 s"):
                await self.client.call_async("never", timeout=0.1)
            task = asyncio.create_task(self.client.call_async("never"))
            await asyncio.sleep(0.1)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        asyncio.run(run())
        self.assertEqual(self.cancelled(), 3)

    def cancelled(self) -> int:
        return sum(1 for method, _ in self.client.call("seen") if method == "notifications/cancelled")


class Ends(unittest.TestCase):
    def test_open_and_later_requests_fail_when_the_connection_ends(self) -> None:
        for tool, problem in {
            "dies": "the server has ended, with the exit status 3",
            "noise": "the server has sent a message that is not JSON",
            "array": "the server has sent a message that is not a JSON object",
            "long": "the server has sent a message of more than 4000 bytes",
        }.items():
            with scripted() as client:
                for name in (tool, "texts"):
                    with self.assertRaisesRegex(ConnectionError, f"^{problem}"):
                        client.call(name)

    def test_a_program_that_does_not_end_is_ended(self) -> None:
        started = time.monotonic()
        with scripted("stays") as client:
            client.call("texts")
        self.assertLess(time.monotonic() - started, 10.0)

    def test_a_closed_client_can_be_used_again_within_with(self) -> None:
        client = scripted()
        for _ in range(2):
            with self.assertRaises(ConnectionError):
                client.call("texts")
            with client:
                self.assertEqual(client.call("texts"), "a\nb")

    def test_open_requests_end_with_the_connection(self) -> None:
        client = scripted()
        with client:
            errors: list[BaseException] = []

            def call() -> None:
                try:
                    client.call("never")
                except ConnectionError as error:
                    errors.append(error)

            thread = threading.Thread(target=call)
            thread.start()
            time.sleep(0.2)
        thread.join(5)
        self.assertEqual([str(one) for one in errors], ["the connection was closed"])

    def test_a_server_that_does_not_fit_is_ended(self) -> None:
        with self.assertRaisesRegex(ConnectionError, "'1999-01-01' of the protocol, and the client knows 2025-11-25"), scripted("old"):
            self.fail("the versions differ")
        with self.assertRaisesRegex(TimeoutError, "has not answered `initialize`"), scripted("silent", timeout=0.5):
            self.fail("the server is silent")
        with self.assertRaises(FileNotFoundError), Client.stdio(["/no/such/program"]):
            self.fail("the program does not exist")

    def test_a_list_without_end_is_refused(self) -> None:
        with scripted("endless") as client, self.assertRaisesRegex(ConnectionError, "more than 1000 pages"):
            client.tools()

    def test_async_with_does_the_same(self) -> None:
        async def run() -> None:
            async with scripted() as client:
                self.assertEqual(len(await client.tools_async()), 3)
                with self.assertRaises(ToolError):
                    await client.call_async("failed")
            with self.assertRaises(ConnectionError):
                await client.call_async("texts")

        asyncio.run(run())


Answer = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


@contextmanager
def http_server(answer: Answer) -> Generator[tuple[str, list[tuple[str, dict[str, str], Any]]]]:
    """Runs a server, and yields its address and the requests that it gets."""
    requests: list[tuple[str, dict[str, str], Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append(("POST", dict(self.headers), message))
            answer(self, message)

        def do_DELETE(self) -> None:
            requests.append(("DELETE", dict(self.headers), None))
            reply(self, b"", 204)

        def log_message(self, *args: Any, **named: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/mcp", requests
    finally:
        server.shutdown()
        server.server_close()


def reply(handler: BaseHTTPRequestHandler, body: bytes, status: int = 200, kind: str = "application/json", **headers: str) -> None:
    handler.send_response(status)
    for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    with suppress(BrokenPipeError):
        handler.wfile.write(body)


def result(message: dict[str, Any], value: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": value}).encode()


def scripted_http(handler: BaseHTTPRequestHandler, message: dict[str, Any]) -> None:
    method, name = message.get("method"), message.get("params", {}).get("name")
    if method == "initialize":
        reply(handler, result(message, {"protocolVersion": "2025-06-18"}), Mcp_Session_Id="s1")
    elif "id" not in message or method is None:
        reply(handler, b"", 202)
    elif name == "stream":
        question = b'event: message\ndata: {"jsonrpc":"2.0","id":"q","method":"ping"}\n\n'
        lines = json.dumps(json.loads(result(message, {"content": [], "structuredContent": [1]})), indent=1).encode()
        data = b"".join(b"data: " + line + b"\r\n" for line in lines.splitlines())
        reply(handler, b"id: 1\ndata:\n\n: comment\n\n" + question + data + b"\r\n", kind="text/event-stream")
    elif name == "ends":
        reply(handler, b"data: \n\n", kind="text/event-stream")
    elif name == "long":
        reply(handler, b" " * 5000)
    elif name == "long stream":
        reply(handler, b"data: x\n" * 1000, kind="text/event-stream")
    elif name == "page":
        reply(handler, b"<html>Sign in</html>", kind="text/html")
    elif name == "refused":
        reply(handler, b"invalid token", 401)
    elif name == "refused by the protocol":
        reply(handler, b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no session"}}', 404)
    elif name == "moved":
        reply(handler, b"", 307, Location="/elsewhere")
    elif name == "slow":
        time.sleep(1)
        reply(handler, result(message, {"content": []}))
    else:
        reply(handler, result(message, {"content": [{"type": "text", "text": "ok"}]}))


class OverHttp(unittest.TestCase):
    def test_answers_are_json_or_streams(self) -> None:
        with http_server(scripted_http) as (url, requests):
            with Client.http(url, headers={"Authorization": "Bearer 1"}) as client:
                self.assertEqual(client.call("any"), "ok")
                self.assertEqual(client.call("stream"), [1])
            pings = [message for _, _, message in requests if message and message.get("id") == "q"]
            methods = [message.get("method") for kind, _, message in requests if kind == "POST"]
            self.assertEqual(methods[:3], ["initialize", "notifications/initialized", "tools/call"])
            self.assertEqual([one["result"] for one in pings], [{}])
            kind, headers, _ = requests[-1]
            self.assertEqual((kind, headers["Mcp-Session-Id"], headers["Authorization"]), ("DELETE", "s1", "Bearer 1"))
            self.assertEqual(requests[2][1]["Mcp-Protocol-Version"], "2025-06-18")

    def test_every_failure_ends_its_own_request(self) -> None:
        with http_server(scripted_http) as (url, requests), Client.http(url, max_bytes=4000) as client:
            for name, problem in {
                "ends": "ended its response without an answer",
                "long": "a message of more than 4000 bytes",
                "long stream": "a message of more than 4000 bytes",
                "page": "ended its response without an answer",
                "refused": "^the server has answered with the status 401: invalid token$",
                "moved": "^the server has answered with the status 307$",
            }.items():
                with self.assertRaisesRegex(ConnectionError, problem):
                    client.call(name)
            with self.assertRaisesRegex(McpError, r"no session \(-32600\)"):
                client.call("refused by the protocol")
            with self.assertRaises(TimeoutError):
                client.call("slow", timeout=0.2)
            self.assertEqual(client.call("any"), "ok")
            self.assertIn("notifications/cancelled", [message["method"] for _, _, message in requests if message])

    def test_a_server_that_cannot_be_reached_is_an_error(self) -> None:
        with http_server(scripted_http) as (url, _):
            pass
        with self.assertRaisesRegex(ConnectionError, "cannot be reached|refused"), Client.http(url):
            self.fail("the server has ended")
        with self.assertRaisesRegex(ValueError, "begins with"):
            Client.http("file:///etc/passwd")

    def test_async_requests_run_at_the_same_time(self) -> None:
        async def run() -> None:
            with http_server(scripted_http) as (url, _):
                async with Client.http(url) as client:
                    started = time.monotonic()
                    self.assertEqual(await asyncio.gather(*(client.call_async("slow") for _ in range(8))), [""] * 8)
                    self.assertLess(time.monotonic() - started, 4.0)

        asyncio.run(run())


def program() -> str | None:
    """Returns the program `toolc`: the variable `TOOLC`, or what this repository has built."""
    built = Path(__file__).resolve().parents[2] / "target" / "debug" / "toolc"
    return os.environ.get("TOOLC") or (str(built) if built.is_file() else None)


@unittest.skipUnless(program(), "the program `toolc` has not been built, and the variable TOOLC does not name it")
class RealServer(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        Path(self.folder, "a.txt").write_text("first\nsecond\n", encoding="utf-8")
        self.environment = {"HOME": self.folder, "PATH": os.environ["PATH"]}
        self.command = [program() or "", "mcp", "serve"]

    def check(self, client: Client) -> None:
        self.assertEqual(client.server["serverInfo"]["name"], "toolc")
        self.assertIn("read_file", [tool["name"] for tool in client.tools()])
        self.assertEqual(client.call("read_file", {"path": "a.txt", "limit": "1"})["content"], "     1|first\n")
        with self.assertRaises(ToolError) as raised:
            client.call("read_file", {"limit": "x"})
        self.assertEqual(raised.exception.kind, ErrorKind.INVALID_ARGUMENTS)
        self.assertEqual({one.path for one in raised.exception.problems}, {"/path", "/limit"})
        with self.assertRaisesRegex(McpError, "unknown tool `no_such_tool`"):
            client.call("no_such_tool")

    def test_calls_over_the_standard_streams(self) -> None:
        with Client.stdio(self.command, env=self.environment, cwd=self.folder) as client:
            self.check(client)

    def test_calls_over_http(self) -> None:
        command = [*self.command, "--http", "127.0.0.1:0"]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, env=self.environment, cwd=self.folder)
        try:
            assert server.stderr is not None
            found = re.search(rb"http://127\.0\.0\.1:\d+/mcp", server.stderr.readline())
            assert found is not None
            with Client.http(found[0].decode()) as client:
                self.check(client)
        finally:
            server.kill()
            server.communicate()


if __name__ == "__main__":
    unittest.main()
