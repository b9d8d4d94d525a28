"""A host that runs scripts as the Python system does, reduced to the mechanism: `host.py FOLDER TRANSPORT CALLS ROUNDS`.

- `socket`: a Unix socket with a path. A thread serves one connection, with a line of JSON for each call and its result. A token
  authenticates each call.
- `files`: a folder, for an environment elsewhere. A thread lists it ten times per second, and reads and writes each file with a
  command of a shell.

It prints the seconds of a call, directly and from a script, as JSON.
"""

import base64
import hmac
import json
import os
import secrets
import shlex
import socket
import subprocess
import sys
import threading
import time

FOLDER, TRANSPORT = sys.argv[1:3]
CALLS, ROUNDS = map(int, sys.argv[3:5])
ALLOWED = frozenset(["read_file", "search_files", "write_file"])
TOKEN = secrets.token_urlsafe(32)
POLL = 0.1


def dispatch(tool, args):
    """Runs a tool: `read_file`, as simple as it can be."""
    if tool != "read_file":
        return json.dumps({"error": "unknown tool: %s" % tool})
    first, limit = args["offset"], args["limit"]
    with open(os.path.join(FOLDER, args["path"]), encoding="utf-8") as file:
        lines = file.read().splitlines()
    shown = lines[first - 1 : first - 1 + limit]
    content = "\n".join("%6d|%s" % (first + at, line) for at, line in enumerate(shown))
    return json.dumps({"content": content, "total_lines": len(lines), "truncated": len(shown) < len(lines)})


class Calls:
    """What every call passes, whatever brings it."""

    def __init__(self):
        self.log = []

    def result(self, request):
        if not hmac.compare_digest(str(request.get("token") or "").encode(), TOKEN.encode()):
            return json.dumps({"error": "the token is wrong"})
        tool, args = request.get("tool", ""), request.get("args", {})
        if tool not in ALLOWED:
            return json.dumps({"error": "scripts cannot call %s" % tool})
        start = time.monotonic()
        try:
            result = dispatch(tool, args)
        except Exception as error:
            result = json.dumps({"error": str(error)})
        self.log.append((tool, str(args)[:80], round(time.monotonic() - start, 2)))
        return result


def serve_socket(listener):
    connection, _ = listener.accept()
    connection.settimeout(300)
    calls, pending = Calls(), b""
    while True:
        chunk = connection.recv(65536)
        if not chunk:
            return
        pending += chunk
        while b"\n" in pending:
            line, pending = pending.split(b"\n", 1)
            connection.sendall((calls.result(json.loads(line.decode())) + "\n").encode())


def shell(command, text=""):
    """Runs a command where the files are. That a real environment is farther away is left out."""
    return subprocess.run(["sh", "-c", command], input=text, capture_output=True, text=True, timeout=60).stdout


def serve_files(folder, stop):
    calls, quoted = Calls(), shlex.quote(folder)
    while not stop.is_set():
        names = shell("ls -1 %s/call-* 2>/dev/null || true" % quoted).split()
        for name in sorted(name for name in names if not name.endswith(".part")):
            request = json.loads(shell("cat %s" % shlex.quote(name)))
            answer = "%s/answer-%06d" % (quoted, request["number"])
            text = base64.b64encode(calls.result(request).encode()).decode()
            shell("umask 077 && base64 -d > %s.part && mv -f %s.part %s" % (answer, answer, answer), text)
            shell("rm -f %s" % shlex.quote(name))
        stop.wait(POLL)


def run_script(name, variables):
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "script.py")
    environment = dict(os.environ, TRANSPORT=TRANSPORT, TOKEN=TOKEN, CALLS=str(CALLS), ROUNDS=str(ROUNDS), **variables)
    done = subprocess.run([sys.executable, script], env=environment, stdout=subprocess.PIPE, text=True, timeout=600)
    if done.returncode != 0:
        sys.exit("the script has failed")
    return float(done.stdout)


def directly():
    start = time.perf_counter()
    for n in range(CALLS):
        json.loads(dispatch("read_file", {"path": "a.txt", "offset": 1, "limit": n % 1000 + 1}))
    return (time.perf_counter() - start) / CALLS


def main():
    direct = min(directly() for _ in range(ROUNDS))
    if TRANSPORT == "socket":
        path = os.path.join(FOLDER, "rpc.sock")
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(path)
        listener.listen(1)
        threading.Thread(target=serve_socket, args=(listener,), daemon=True).start()
        script = run_script("socket", {"ENDPOINT": path})
    else:
        path = os.path.join(FOLDER, "rpc")
        os.mkdir(path, 0o700)
        stop = threading.Event()
        server = threading.Thread(target=serve_files, args=(path, stop), daemon=True)
        server.start()
        script = run_script("files", {"ENDPOINT": path})
        stop.set()
        server.join()
    print(json.dumps({"direct": direct, "script": script}))


main()
