"""Runs a program in a sandbox of Modal, as a client of `hold.py`. Needs only Python.

Arguments: the socket, `none`, `input` or `terminal`, and the words of the program.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading

# The maximum length of a frame.
MAX = 64 * 1024


def send(connection: socket.socket, kind: bytes, content: bytes) -> None:
    """Sends a frame."""
    connection.sendall(kind + len(content).to_bytes(4, "big") + content)


def send_input(connection: socket.socket) -> None:
    """Sends standard input."""
    try:
        while content := os.read(0, MAX):
            send(connection, b"i", content)
        send(connection, b"c", b"")
    except OSError:
        pass  # The terminal or the program has ended.


def write(descriptor: int, content: bytes) -> None:
    """Writes all bytes."""
    while content:
        content = content[os.write(descriptor, content) :]


def exactly(connection: socket.socket, length: int) -> bytes:
    """Reads a number of bytes."""
    content = bytearray()
    while len(content) < length:
        part = connection.recv(length - len(content))
        if not part:
            raise EOFError
        content += part
    return bytes(content)


def run(path: str, streams: str, words: list[str]) -> int:
    """Runs a program. Returns its exit code."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        request = {"words": words, "input": streams != "none", "terminal": streams == "terminal"}
        send(connection, b"s", json.dumps(request).encode())
        if streams == "terminal":
            import tty

            # The terminal in the sandbox processes the input.
            tty.setraw(0)
        if streams != "none":
            threading.Thread(target=send_input, args=(connection,), daemon=True).start()
        while True:
            head = exactly(connection, 5)
            content = exactly(connection, int.from_bytes(head[1:], "big"))
            match head[:1]:
                case b"o":
                    write(1, content)
                case b"e":
                    write(2, content)
                case b"x":
                    return int(content)
                case _:
                    write(2, content + b"\n")
                    return 1


def main() -> int:
    """Runs the program of the command line."""
    try:
        return run(sys.argv[1], sys.argv[2], sys.argv[3:])
    except BrokenPipeError:
        return 1
    except (OSError, EOFError):
        write(2, b"the sandbox has ended\n")
        return 1


if __name__ == "__main__":
    # Exit without waiting for the thread that reads the input.
    os._exit(main())
