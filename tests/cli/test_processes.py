"""What only a process of its own shows: start-up, pipes, terminals, signals."""

import json
import os
import pty
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

HELIX = [sys.executable, "-m", "helixlog"]
HEAVY = {"numpy", "rich", "lmdb", "tantivy", "msgspec", "hnswlib", "helixlog.commands.memory"}


def run(env, *args, **options):
    return subprocess.run([*HELIX, *args], env=env, capture_output=True, timeout=60, check=False, **options)


def on_terminal(env, *args):
    """What a process writes to a terminal as its standard output."""
    leader, follower = pty.openpty()
    with subprocess.Popen([*HELIX, *args], env=env, stdout=follower, stderr=subprocess.DEVNULL) as process:
        os.close(follower)
        written = b""
        while True:
            try:
                piece = os.read(leader, 1 << 16)
            except OSError:
                break
            if not piece:
                break
            written += piece
    os.close(leader)
    assert process.returncode == 0
    return written.decode()


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """The environment of a store with one memory, which tests only read."""
    env = clean_environment(tmp_path_factory.mktemp("stored") / "store")
    assert run(env, "store", "The billing service retries a failed charge.").returncode == 0
    return env


@pytest.fixture
def process_env(tmp_path):
    """The environment of a process that has no store yet."""
    return clean_environment(tmp_path / "store")


def clean_environment(store):
    changed = ("HELIX_STORE", "HELIX_EMBEDDER", "NO_COLOR", "FORCE_COLOR", "TERM")
    kept = {name: value for name, value in os.environ.items() if name not in changed}
    return {**kept, "HELIX_STORE": str(store), "HELIX_EMBEDDER": "static", "TERM": "xterm-256color"}


def test_help_imports_nothing_heavy(process_env):
    script = (
        "import sys; sys.argv = ['helix', '--help']\n"
        "from helixlog.commands.cli import main\n"
        "main(); print(sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], env=process_env, capture_output=True, timeout=60, check=True)
    loaded = set(json.loads(done.stderr.decode().replace("'", '"')))
    assert not loaded & HEAVY
    assert not {name for name in loaded if name.startswith("helixlog.commands.cli.") and name.endswith("ing")}


def test_help_starts_within_150_ms(process_env):
    assert min(_seconds(process_env, "--help") for _ in range(5)) < 0.150


def _seconds(env, *args):
    """Processor time, which other processes on the machine do not add to as they do to wall time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(env, *args)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_version_is_printed(process_env):
    assert run(process_env, "--version").stdout.startswith(b"helix ")


@pytest.mark.parametrize(
    ("code", "args"),
    [(0, ["count"]), (2, ["nonsense"]), (3, ["get", "zzzzzzzz"]), (0, ["recall", "zebras"])],
)
def test_exit_codes_leave_the_process(stored, code, args):
    done = run(stored, *args)
    assert done.returncode == code
    assert b"Traceback" not in done.stderr


def test_a_reader_that_goes_away_is_no_fault(stored):
    reader, writer = os.pipe()
    os.close(reader)
    with subprocess.Popen([*HELIX, "list"], env=stored, stdout=writer, stderr=subprocess.PIPE) as process:
        os.close(writer)
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_a_full_disk_under_the_output_is_named(stored):
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
        done = subprocess.run(
            [*HELIX, "list"], env=stored, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False
        )
    assert done.returncode == 1
    assert b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr


def test_no_colour_and_full_ids_off_a_terminal(stored):
    done = run(stored, "list")
    assert b"\x1b" not in done.stdout
    assert len(done.stdout.split(b"\n")[1].split()[0]) == 26


def test_colour_and_short_ids_on_a_terminal(stored):
    text = on_terminal(stored, "list")
    assert "\x1b[" in text
    assert "━" in text


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_no_colour_on_a_terminal_that_wants_none(stored, name, value):
    assert "\x1b" not in on_terminal({**stored, name: value}, "list")


def test_the_option_forbids_colour(stored):
    assert "\x1b" not in on_terminal(stored, "list", "--no-color")


def test_colour_can_be_forced(stored):
    assert b"\x1b[" in run({**stored, "FORCE_COLOR": "1"}, "list").stdout
    assert b"\x1b" not in run({**stored, "FORCE_COLOR": "1", "NO_COLOR": "1"}, "list").stdout


def test_json_is_one_line_in_a_pipe_and_the_same_content_on_a_terminal(stored):
    piped = run(stored, "count", "--as-of", "@2", "--json").stdout.decode()
    shown = on_terminal(stored, "count", "--as-of", "@2", "--json")
    assert piped.count("\n") == 1
    assert shown.count("\n") > 1
    assert json.loads(piped) == json.loads(shown)


def test_an_argument_that_is_not_utf8_is_refused(stored):
    done = run(stored, "store", b"a\xffb")
    assert done.returncode == 2
    assert b"not UTF-8: byte 0xff" in done.stderr


HEEDING_INTERRUPTS = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
)
"""A shell's background jobs ignore interrupts, and so would what they start; this starts a command that does not."""


def waits_for_input(process: subprocess.Popen) -> bool:
    """Whether a process has slept for a while on end, as one does that reads a pipe nobody writes to."""
    asleep = 0
    for _ in range(3_000):
        state = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]
        asleep = asleep + 1 if state == "S" else 0
        if asleep == 30:
            return True
        time.sleep(0.01)
    return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see what a process waits for")
def test_an_interrupt_leaves_quietly(process_env):
    with subprocess.Popen(
        [sys.executable, "-c", HEEDING_INTERRUPTS, *HELIX, "store", "-"],
        env=process_env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert waits_for_input(process)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors.strip() in (b"", b"note: made a store at " + process_env["HELIX_STORE"].encode())
