"""The interpreter in which scripts run. It talks to the host in JSON, over its standard input, which is a socket, or over
files in the folder that its argument names. The host closes the socket or removes the folder to end it."""

import ast
import json
import linecache
import os
import queue
import socket
import struct
import sys
import threading
import time
import traceback
import types

MODULE = "toolc_tools"
MAX_RESULT = 10_000
MAX_MESSAGE = 4_000
MAX_LINES = 20
MAX_SCRIPTS = 100
# Between two looks for a file, in seconds.
SHORTEST_PAUSE = 0.005
LONGEST_PAUSE = 0.2


class Socket:
    """Frames of four bytes with the length, and the message."""

    def __init__(self):
        # The copy is not inherited by programs that the script starts.
        self.socket = socket.socket(fileno=os.dup(0))
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)

    def send(self, data, message):
        self.socket.sendall(struct.pack(">I", len(data)) + data)

    def read(self, count):
        data = bytearray()
        while len(data) < count:
            chunk = self.socket.recv(min(count - len(data), 1 << 20))
            if not chunk:
                os._exit(0)
            data += chunk
        return bytes(data)

    def receive(self):
        (count,) = struct.unpack(">I", self.read(4))
        return json.loads(self.read(count))


class Folder:
    """A file for each message, which gets its name when it is complete."""

    def __init__(self, path):
        os.mkdir(path, 0o700)
        self.path = path
        self.sent = self.received = 0
        # The messages that the host may not have read, by the ids of their calls.
        self.unread = {}
        self.pause = SHORTEST_PAUSE

    def send(self, data, message):
        self.sent += 1
        path = "%s/out-%d" % (self.path, self.sent)
        part = os.open(path + ".part", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(part, "wb") as file:
            file.write(data)
        os.rename(path + ".part", path)
        self.unread[message.get("id")] = path
        self.pause = SHORTEST_PAUSE

    def receive(self):
        path = "%s/in-%d" % (self.path, self.received + 1)
        while True:
            try:
                with open(path, "rb") as file:
                    message = json.loads(file.read())
                break
            except FileNotFoundError:
                if not os.path.isdir(self.path):
                    os._exit(0)
            time.sleep(self.pause)
            self.pause = min(self.pause * 2, LONGEST_PAUSE)
        # The host looks at a file that it has written, until it writes the next one.
        self.remove("%s/in-%d" % (self.path, self.received))
        self.received += 1
        # The host answers a call, or runs the next script, when it has read what came before.
        read = [message["id"]] if message["type"] == "answer" else list(self.unread)
        for id in read:
            self.remove(self.unread.pop(id, ""))
        return message

    @staticmethod
    def remove(path):
        try:
            os.unlink(path)
        except OSError:
            pass


class Host:
    """The host at the other end of a connection. Any thread can make calls."""

    def __init__(self, connection):
        self.connection = connection
        self.pid = os.getpid()
        self.sending = threading.Lock()
        self.answers = {}
        self.last_id = 0
        # The number of the script that runs.
        self.run = None
        # The folder in which the next script is judged.
        self.folder = current_folder()
        self.runs = queue.SimpleQueue()
        threading.Thread(target=self.receive, daemon=True).start()

    def send(self, message):
        # A text can have halves of surrogate pairs, which JSON cannot.
        data = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")
        with self.sending:
            self.connection.send(data, message)

    def receive(self):
        try:
            while True:
                message = self.connection.receive()
                if message["type"] == "answer":
                    waiting = self.answers.pop(message["id"], None)
                    if waiting is not None:
                        waiting.put(message)
                else:
                    self.runs.put(message)
        finally:
            os._exit(1)

    def call(self, tool, arguments):
        error = sys.modules[MODULE].ToolError
        run = self.run
        if os.getpid() != self.pid:
            raise error("a forked process cannot call tools: call them from the script itself")
        if run is None:
            raise error("tools can be called only while a script runs")
        text = json.dumps(arguments, ensure_ascii=False, allow_nan=False)
        answer = queue.SimpleQueue()
        with self.sending:
            self.last_id += 1
            id = self.last_id
            self.answers[id] = answer
        self.send({"type": "call", "id": id, "run": run, "tool": tool, "arguments": text})
        message = answer.get()
        value = json.loads(message["json"])
        if message["failed"]:
            raise error(value["error"], value["kind"], value.get("problems"))
        return value


def tools(host, source):
    """Returns the module with the functions of the tools."""
    module = types.ModuleType(MODULE, "The tools that scripts can call.")
    exec(compile(source, "<%s>" % MODULE, "exec", dont_inherit=True), module.__dict__)
    module.connect(host.call)

    def missing(name):
        if name.startswith("_"):
            raise AttributeError("module '%s' has no attribute '%s'" % (MODULE, name))
        # The host refuses the call, and says why.
        return lambda *_, **arguments: host.call(name, arguments)

    module.__getattr__ = missing
    return module


def shortened(text, limit):
    if len(text) <= limit:
        return text
    return "%s... (%d characters)" % (text[:limit], len(text))


def described(error, file):
    """Returns an exception with the lines of scripts that led to it."""
    kind = type(error)
    name = kind.__qualname__
    if kind.__module__ not in ("builtins", "__main__", MODULE):
        name = "%s.%s" % (kind.__module__, name)
    try:
        message = str(error)
    except Exception:
        message = "the exception has no text"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith("<script ")]
    lines = ["line %s, in %s: %s" % (frame.lineno, frame.name, frame.line) for frame in frames]
    if isinstance(error, SyntaxError) and error.filename == file:
        message = str(error.msg)
        lines.append("line %s: %s" % (error.lineno, (error.text or "").strip()))
    if len(lines) > MAX_LINES:
        half = MAX_LINES // 2
        lines = lines[:half] + ["... %d lines ..." % (len(lines) - MAX_LINES)] + lines[-half:]
    lines = [shortened(line, 500) for line in lines]
    return {"type": shortened(name, 200), "message": shortened(message, MAX_MESSAGE), "traceback": lines}


def execute(code, file, namespace):
    """Runs a script. Returns the `repr` of its last expression, or None."""
    tree = ast.parse(code, file)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, file, "exec", dont_inherit=True), namespace)
    if last is None:
        return None
    value = eval(compile(ast.Expression(last.value), file, "eval", dont_inherit=True), namespace)
    if value is None:
        return None
    namespace["_"] = value
    return shortened(repr(value), MAX_RESULT)


def current_folder():
    """Returns what tells the current directory from another folder at its path, or None."""
    try:
        found = os.stat(".")
        return found.st_dev, found.st_ino
    except OSError:
        return None


def enter(host, directory):
    """Changes to the directory in which a script was judged, or raises an error if the path now leads elsewhere."""
    if directory is None:
        return
    os.chdir(directory)
    if os.getcwd() != directory or current_folder() != host.folder:
        raise OSError("the directory %r has changed since the script was judged: nothing was run" % directory)


def current_directory():
    """Returns the path of the current directory, or None if it has none or one that is not UTF-8."""
    try:
        path = os.getcwd()
        path.encode()
        return path
    except (OSError, UnicodeError):
        return None


def run(host, message, namespace):
    if message["module"] is not None:
        module = tools(host, message["module"])
        sys.modules[MODULE] = namespace[MODULE] = module
    number, code = message["run"], message["code"]
    file = "<script %d>" % number
    linecache.cache[file] = (len(code), None, code.splitlines(True), file)
    linecache.cache.pop("<script %d>" % (number - MAX_SCRIPTS), None)
    host.run = number
    result = error = None
    try:
        enter(host, message["directory"])
        result = execute(code, file, namespace)
    except SystemExit as exit:
        if exit.code not in (None, 0):
            error = described(exit, file)
    except BaseException as exception:
        error = described(exception, file)
    host.run = None
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        try:
            stream.flush()
        except Exception:
            pass
    if os.getpid() != host.pid:
        # A fork of the script has reached its end.
        os._exit(1 if error else 0)
    for descriptor in (1, 2):
        try:
            os.write(descriptor, message["mark"].encode())
        except OSError:
            pass
    host.folder = current_folder()
    host.send({"type": "done", "run": number, "result": result, "error": error, "directory": current_directory()})


def main():
    host = Host(Folder(sys.argv[1]) if len(sys.argv) > 1 else Socket())
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")
    sys.stdin = open(os.devnull)
    sys.argv = [""]
    # Modules of the working directory, after those of Python itself.
    sys.path.append("")
    script = types.ModuleType("__main__")
    # Python clears the names of a module that nothing refers to.
    script.__interpreter__ = sys.modules["__main__"]
    sys.modules["__main__"] = script
    host.send({"type": "ready", "version": list(sys.version_info[:2])})
    while True:
        run(host, host.runs.get(), script.__dict__)


main()
