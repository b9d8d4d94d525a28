"""The program of a plugin, run as a host runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import unittest
from pathlib import Path
from typing import IO, Any

SOURCE = Path(__file__).resolve().parents[1] / "src"

NOTHING: dict[str, Any] = {}

PROGRAM = '''
import asyncio, subprocess, sys, threading, time
from toolc import ToolError
from toolc.plugin import current_call, serve

BLOCKED = set()

async def wait(arguments):
    """Waits an hour, or for a time."""
    await asyncio.sleep(arguments.get("seconds", 3600))
    return "waited"

def block(arguments):
    """Blocks its thread until it is cancelled, and says so on standard error."""
    BLOCKED.add(current_call().call_id)
    is_cancelled = current_call().cancelled.wait(arguments.get("seconds", 3600))
    print("cancelled" if is_cancelled else "not cancelled")
    BLOCKED.add(current_call().call_id + " ended")
    return is_cancelled

def has_blocked(arguments):
    """Waits until `block` has begun for a call, or has ended."""
    end = time.monotonic() + 20
    while arguments["call"] not in BLOCKED and time.monotonic() < end:
        time.sleep(0.01)
    return arguments["call"] in BLOCKED

async def where(arguments):
    call = current_call()
    return [call.tool, call.call_id, call.task, call.home]

class Late:
    """A handler that is not a function, and returns an awaitable."""
    def __call__(self, arguments):
        return where(arguments)

def raises(arguments):
    kinds = {"value": ValueError("no such file"), "key": KeyError("customer"), "empty": TimeoutError(), "tool": ToolError("ask again"),
             "fields": ToolError("no such note", kind="not_found", fields={"number": 7, "kind": 1}),
             "exit": SystemExit(3), "stop": StopIteration(1), "text": Silent()}
    raise kinds[arguments["kind"]]

class Silent(Exception):
    def __str__(self):
        raise RuntimeError

def gives(arguments):
    deep = []
    for _ in range(arguments.get("levels", 0)):
        deep = [deep]
    circle = []
    circle.append(circle)
    values = {"deep": deep, "circle": circle, "nan": float("nan"), "object": object(), "surrogate": "\\ud800", "long": "x" * 2000,
              "integer": [10**400], "digits": "1" * 400, "large": [-(10**307)],
              "unicode": "\\u65e5"}
    return values[arguments["kind"]]

def prints(arguments):
    print("from the handler")
    sys.stdout.write("without a line end")
    subprocess.run(["echo", "from a program"], check=True)
    return subprocess.run(["cat"], check=True, capture_output=True, text=True).stdout

def slow(arguments):
    time.sleep(0.3)
    return threading.active_count()

names = [wait, block, has_blocked, where, raises, gives, prints, slow]
serve({one.__name__: one for one in names} | {"late": Late(), "not_callable": 5}, max_reply_bytes=1000)
print("after")
'''


class Host:
    """A program of a plugin that stays running."""

    def __init__(self) -> None:
        environment = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONIOENCODING": "utf-8"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )

    def send(self, *requests: dict[str, Any]) -> None:
        for request in requests:
            self.write(json.dumps(request).encode() + b"\n")

    def write(self, data: bytes) -> None:
        stdin = _pipe(self.process.stdin)
        stdin.write(data)
        stdin.flush()

    def read(self) -> dict[str, Any]:
        reply: dict[str, Any] = json.loads(_pipe(self.process.stdout).readline())
        return reply

    def ask(self, tool: str, **arguments: object) -> dict[str, Any]:
        self.send({"id": 1, "tool": tool, "arguments": arguments})
        return self.read()

    def end(self) -> tuple[str, str, int]:
        """Closes the input, and returns what the program still prints, its errors and its exit status."""
        try:
            out, err = self.process.communicate(timeout=20)
        finally:
            self.process.kill()
        return out.decode(), err.decode(), self.process.returncode


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


class Requests(unittest.TestCase):
    def setUp(self) -> None:
        self.host = Host()
        self.addCleanup(self.host.end)

    def test_many_requests_are_open_and_are_answered_when_they_end(self) -> None:
        calls = 200
        self.host.send(*({"id": number, "tool": "wait", "arguments": NOTHING} for number in range(calls)))
        self.host.send({"id": calls, "tool": "wait", "arguments": {"seconds": 0}})
        self.assertEqual(self.host.read(), {"id": calls, "result": "waited"})
        self.host.send(*({"cancel": number} for number in range(calls)))
        replies = [self.host.read() for _ in range(calls)]
        self.assertEqual(sorted(one["id"] for one in replies), list(range(calls)))
        self.assertEqual({one["error"] for one in replies}, {"cancelled"})

    def test_handlers_without_async_run_at_the_same_time(self) -> None:
        self.host.send(*({"id": number, "tool": "slow", "arguments": NOTHING} for number in range(100)))
        replies = [self.host.read() for _ in range(100)]
        self.assertEqual(sorted(one["id"] for one in replies), list(range(100)))
        # The handlers, the main thread, the one that reads, and those that are about to end.
        self.assertGreater(max(one["result"] for one in replies), 20)
        self.assertLess(max(one["result"] for one in replies), 50)

    def test_a_call_that_is_cancelled_before_it_starts_is_answered(self) -> None:
        self.host.write(b'{"id":1,"tool":"wait","arguments":{}}\n{"cancel":1}\n{"cancel":1}\n{"cancel":7}\n{"cancel":"x"}\n')
        self.assertEqual(self.host.read(), {"id": 1, "error": "cancelled"})
        self.assertEqual(self.host.ask("where")["result"][0], "where")

    def test_a_cancelled_call_on_a_thread_is_answered_at_once_and_its_handler_can_see_it(self) -> None:
        self.host.send({"id": 1, "tool": "block", "arguments": NOTHING}, {"cancel": 1})
        self.assertEqual(self.host.read(), {"id": 1, "error": "cancelled"})
        self.host.send({"id": 2, "tool": "block", "arguments": {"seconds": 0}})
        self.assertEqual(self.host.read(), {"id": 2, "result": False})
        self.host.send({"id": 3, "tool": "block", "arguments": NOTHING, "call_id": "third"})
        self.host.send({"id": 4, "tool": "has_blocked", "arguments": {"call": "third"}})
        self.assertEqual(self.host.read(), {"id": 4, "result": True})
        self.host.send({"cancel": 3})
        self.assertEqual(self.host.read(), {"id": 3, "error": "cancelled"})
        self.host.send({"id": 5, "tool": "has_blocked", "arguments": {"call": "third ended"}})
        self.assertEqual(self.host.read(), {"id": 5, "result": True})
        out, err, status = self.host.end()
        self.assertEqual((out, status), ("after\n", 0))
        self.assertIn("\ncancelled\n", f"\n{err}")

    def test_more_calls_than_threads_wait_and_can_be_cancelled(self) -> None:
        self.host.send(*({"id": number, "tool": "block", "arguments": NOTHING} for number in range(40)))
        self.host.send({"cancel": 39})
        self.assertEqual(self.host.read(), {"id": 39, "error": "cancelled"})
        self.host.send(*({"cancel": number} for number in range(32)))
        self.assertEqual({self.host.read()["error"] for _ in range(32)}, {"cancelled"})
        self.host.send(*({"cancel": number} for number in range(32, 39)))
        self.assertEqual({self.host.read()["error"] for _ in range(7)}, {"cancelled"})
        self.assertEqual(self.host.ask("slow")["id"], 1)

    def test_the_call_is_known_to_every_kind_of_handler(self) -> None:
        request = {"arguments": NOTHING, "call_id": "c", "task": "t", "home": "/h"}
        for tool in ("where", "late"):
            self.host.send({"id": 1, "tool": tool, **request})
            self.assertEqual(self.host.read()["result"], [tool, "c", "t", "/h"])
            self.host.send({"id": 1, "tool": tool, "arguments": NOTHING})
            self.assertEqual(self.host.read()["result"], [tool, "", "", None])

    def test_exceptions_are_errors_for_the_model(self) -> None:
        expected = {
            "value": "no such file",
            "key": "KeyError: 'customer'",
            "empty": "TimeoutError",
            "tool": "ask again",
            "exit": "3",
            "stop": "StopIteration",
            "text": "Silent",
        }
        for kind, text in expected.items():
            self.assertEqual(self.host.ask("raises", kind=kind), {"id": 1, "error": text}, kind)
        fields = {"number": 7, "kind_": 1}
        self.assertEqual(
            self.host.ask("raises", kind="fields"), {"id": 1, "error": "no such note", "kind": "not_found", "fields": fields}
        )
        _, err, status = self.host.end()
        self.assertIn("ValueError: no such file", err)
        self.assertNotIn("ask again", err)
        self.assertEqual(status, 0)

    def test_a_result_that_cannot_be_sent_is_an_error(self) -> None:
        for kind, problem in {
            "circle": "Circular reference",
            "nan": "not JSON compliant",
            "object": "not JSON serializable",
            "integer": "it has an integer of 401 digits",
            "long": "it has 2021 bytes, and at most 1000 are allowed",
        }.items():
            error = self.host.ask("gives", kind=kind)["error"]
            self.assertTrue(error.startswith("the result cannot be sent: "), error)
            self.assertIn(problem, error)
        for levels in (126, 200, 5000):
            error = self.host.ask("gives", kind="deep", levels=levels)["error"]
            self.assertTrue(error.startswith("the result cannot be sent: "), error)
        self.assertIn("result", self.host.ask("gives", kind="deep", levels=125))
        self.assertEqual(self.host.ask("gives", kind="surrogate")["result"], "?")
        self.assertEqual(self.host.ask("gives", kind="digits")["result"], "1" * 400)
        self.assertEqual(self.host.ask("gives", kind="large")["result"], [-(10**307)])
        self.assertEqual(self.host.ask("gives", kind="unicode")["result"], "日")

    def test_what_handlers_and_their_programs_print_is_no_reply(self) -> None:
        self.assertEqual(self.host.ask("prints"), {"id": 1, "result": ""})
        out, err, _ = self.host.end()
        self.assertEqual(out, "after\n")
        for text in ("from the handler", "without a line end", "from a program"):
            self.assertIn(text, err)

    def test_a_request_that_the_program_cannot_run_is_an_error(self) -> None:
        self.assertIn("no handler for the tool `find`", self.host.ask("find")["error"])
        self.assertIn("not callable", self.host.ask("not_callable")["error"])
        for request in ({"hook": "before", "tool": "wait", "arguments": NOTHING}, {"memory": "read", "arguments": NOTHING}):
            self.host.send({"id": 2, **request})
            self.assertIn("only runs tools", self.host.read()["error"])

    def test_calls_that_run_when_the_input_ends_are_answered(self) -> None:
        self.host.send({"id": 1, "tool": "wait", "arguments": {"seconds": 0.3}}, {"id": 2, "tool": "slow", "arguments": NOTHING})
        out, _, status = self.host.end()
        lines = out.splitlines()
        self.assertEqual(sorted(json.loads(line)["id"] for line in lines[:2]), [1, 2])
        self.assertEqual((lines[2:], status), (["after"], 0))

    def test_one_request_without_an_id_has_a_reply_without_one(self) -> None:
        self.host.send({"tool": "where", "arguments": NOTHING, "call_id": "c", "task": "default"})
        out, _, status = self.host.end()
        self.assertEqual((out, status), ('{"result":["where","c","default",null]}\nafter\n', 0))

    def test_no_request_at_all_ends_the_program(self) -> None:
        self.assertEqual(self.host.end()[::2], ("after\n", 0))


class BadInput(unittest.TestCase):
    def test_what_is_not_a_request_ends_the_program(self) -> None:
        for line, problem in {
            b"{\n": "a request is not JSON",
            b"[" * 100_000 + b"\n": "a request is not JSON",
            b"\xff\n": "a request is not JSON",
            b"[]\n": "a request is not a JSON object",
        }.items():
            host = Host()
            host.send({"id": 1, "tool": "wait", "arguments": NOTHING})
            host.write(b"\n \n" + line)
            out, err, status = host.end()
            self.assertEqual(out, '{"id":1,"error":"cancelled"}\n')
            self.assertIn(f"ValueError: {problem}", err)
            self.assertEqual(status, 1)

    def test_a_huge_line_is_not_read_to_its_end(self) -> None:
        host = Host()
        self.addCleanup(host.end)
        chunk = b" " * (1 << 20)
        with self.assertRaises(BrokenPipeError):
            for _ in range(1 << 10):
                host.write(chunk)
        self.assertEqual(host.process.wait(20), 1)
        self.assertIn(b"a request is longer than 33554432 bytes", _pipe(host.process.stderr).read())

    def test_a_line_of_the_largest_arguments_is_read(self) -> None:
        host = Host()
        host.send({"id": 1, "tool": "wait", "arguments": {"seconds": 0, "text": "\0" * (4 << 20)}})
        self.assertEqual(host.read(), {"id": 1, "result": "waited"})
        self.assertEqual(host.end()[2], 0)


if __name__ == "__main__":
    unittest.main()
