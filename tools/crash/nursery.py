"""Children that begin with everything imported: a fork costs milliseconds, a Python with numpy half a second.

    python -m crash.nursery FD

is the process they are forked from. It never opens a store itself, so a child inherits no LMDB environment.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from .tally import memory

TOOLS = Path(__file__).resolve().parents[1]
WARM = ("crash.workloads", "crash.checking", "crash.steps", "crash.hindered", "crash.teeth")
LONGEST = 120.0
"""Seconds after which a child counts as hung."""


class Child:
    """A forked process: its pid, and the pipe that carries what it prints."""

    def __init__(self, nursery: Nursery, pid: int, out: int) -> None:
        self.pid, self._nursery, self._out = pid, nursery, out
        self._status: int | None = None

    def read(self) -> bytes:
        """What has been printed, b"" at the end; blocks until there is something."""
        return os.read(self._out, 1 << 20)

    def kill(self) -> None:
        """SIGKILL."""
        os.kill(self.pid, signal.SIGKILL)

    def finish(self, patience: float = LONGEST) -> tuple[int, str]:
        """All it printed that was not read yet, and its return code, negative for a signal, once it has ended.

        Raises:
            TimeoutError: It hung; it is killed.
        """
        os.set_blocking(self._out, False)
        deadline, pieces = time.monotonic() + patience, []
        while True:
            try:
                piece = os.read(self._out, 1 << 20)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    self.kill()
                    self._nursery.wait(self.pid)
                    raise TimeoutError(f"a child hung for {patience:g} s: {b''.join(pieces)[-2000:]!r}") from None
                time.sleep(0.001)
                continue
            if not piece:
                break
            pieces.append(piece)
        os.close(self._out)
        return self._nursery.wait(self.pid), b"".join(pieces).decode(errors="replace")


class Starter(Protocol):
    """What starts children: a nursery, or one whose children lack something."""

    def start(self, function: str, *arguments: object) -> Child:
        """See `Nursery`."""
        ...

    def ask(self, function: str, *arguments: object) -> object:
        """See `Nursery`."""
        ...


class Nursery:
    """Starts children; a context manager."""

    def __init__(self) -> None:
        self._temporary = tempfile.TemporaryDirectory(
            prefix="helixlog-crash-", dir=memory(), ignore_cleanup_errors=True
        )
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        paths = os.pathsep.join([str(TOOLS), *(path for path in sys.path if path)])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "crash.nursery", str(theirs.fileno())],
            pass_fds=(theirs.fileno(),),
            env={**os.environ, "PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1", "TMPDIR": self._temporary.name},
            stdin=subprocess.DEVNULL,
        )
        theirs.close()

    def start(self, function: str, *arguments: object) -> Child:
        """Run `module:function` with arguments that JSON can carry, in a child."""
        read, write = os.pipe()
        message = json.dumps([function, [str(one) if isinstance(one, Path) else one for one in arguments]])
        socket.send_fds(self._socket, [message.encode()], [write])
        os.close(write)
        return Child(self, int(self._socket.recv(64)), read)

    def wait(self, pid: int) -> int:
        """The return code of a child that has ended or will."""
        self._socket.send(json.dumps([None, [pid]]).encode())
        return int(self._socket.recv(64))

    def ask(self, function: str, *arguments: object) -> object:
        """What a function in a child returns, as JSON carries it.

        Raises:
            ChildDied: It raised, or was killed by a signal.
        """
        code, printed = self.start(function, *arguments).finish()
        lines = [line for line in printed.splitlines() if line.startswith("RETURN ")]
        if code or not lines:
            raise ChildDied(f"{function} ended with {code}: {printed[-2000:]}")
        return json.loads(lines[-1].removeprefix("RETURN "))

    def close(self) -> None:
        """End the process; children that still run go on."""
        self._socket.close()
        self._process.wait()
        self._temporary.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class ChildDied(Exception):
    """A child ended other than by returning."""


def _serve(channel: socket.socket) -> None:
    for name in WARM:
        importlib.import_module(name)
    while True:
        message, descriptors, _flags, _address = socket.recv_fds(channel, 1 << 20, 1)
        if not message:
            return
        function, arguments = json.loads(message)
        if function is None:
            channel.send(str(os.waitstatus_to_exitcode(os.waitpid(arguments[0], 0)[1])).encode())
            continue
        pid = os.fork()
        if not pid:
            channel.close()
            _live(function, arguments, descriptors[0])
        os.close(descriptors[0])
        channel.send(str(pid).encode())


def _live(function: str, arguments: list[object], out: int) -> None:
    code = 1
    try:
        os.dup2(out, 1)
        os.dup2(out, 2)
        os.close(out)
        module, _, name = function.partition(":")
        returned = getattr(importlib.import_module(module), name)(*arguments)
        say("RETURN " + json.dumps(returned))
        code = 0
    except BaseException:  # noqa: BLE001 - whatever ended the child is for the parent to read
        with contextlib.suppress(OSError):
            say(traceback.format_exc())
    finally:
        os._exit(code)


def must(held: bool, words: str) -> None:  # noqa: FBT001 - reads as `assert`
    """Raise AssertionError unless something holds; works under -O as well."""
    if not held:
        raise AssertionError(words)


def say(line: str) -> None:
    """Print a line in one write, past every buffer."""
    os.write(1, line.encode() + b"\n")


if __name__ == "__main__":
    from crash import nursery  # under its own name, as children will import it

    nursery._serve(socket.socket(fileno=int(sys.argv[1])))  # noqa: SLF001 - the same module
