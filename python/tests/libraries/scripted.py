"""What the tests of libraries have in common: whether they are installed, and a local server with scripted responses."""

from __future__ import annotations

import json
import sys
import threading
import unittest
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
REQUIREMENTS = Path(__file__).with_name("requirements.txt")

sys.path[:0] = [str(EXAMPLES), str(EXAMPLES.parent / "src")]


def require(*packages: str) -> None:
    """Skips the tests of a module unless the listed versions of its libraries are installed."""
    lines = REQUIREMENTS.read_text(encoding="utf-8").splitlines()
    listed = dict(line.split("==") for line in lines if not line.startswith("#"))
    for package in packages:
        try:
            found = version(package)
        except PackageNotFoundError:
            raise unittest.SkipTest(f"{package} is not installed: pip install -r {REQUIREMENTS}") from None
        if found != listed[package]:
            raise unittest.SkipTest(f"{package} {found} is installed, and {listed[package]} is listed in {REQUIREMENTS}")


@contextmanager
def server(*responses: dict[str, Any]) -> Generator[tuple[str, list[dict[str, Any]]]]:
    """Runs a server that gives one response after the other, and yields its address and the bodies that it gets."""
    waiting, bodies = list(responses), list[dict[str, Any]]()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            status = 200 if waiting else 400
            body = json.dumps(waiting.pop(0) if waiting else {"error": {"message": "no response is left"}}).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any, **named: Any) -> None:
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{running.server_port}", bodies
    finally:
        running.shutdown()
        running.server_close()


def texts(values: Iterable[str]) -> list[Any]:
    """Returns results, of which those that are JSON are read."""
    return [json.loads(one) if one.startswith("{") else one for one in values]


# Calls in the order in which they are sent, and their results. The second one needs repair, and the third one cannot be repaired.
ADD = {"customer": "c-20", "items": [{"article": "a-1"}]}
FIND = {"customer": "c-20", "limit": "5"}
WRONG = {"limit": 0}
FOUND = {"orders": [{"number": "o-2", "total": 10.0}]}
PATHS = ["/customer", "/limit"]
