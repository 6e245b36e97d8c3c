"""`helix erase`: asks before it acts, acts with --yes, and answers with a receipt."""

import json
import os
import pty
import subprocess
import sys

import pytest
from helixlog.commands.memory import Memory


@pytest.fixture
def helix(tmp_path):
    """`helix(*args)`: the exit code and stdout; `helix.typing(words, *args)` at a terminal."""
    env = {**os.environ, "HELIX_STORE": str(tmp_path / "store"), "HELIX_EMBEDDER": "static", "NO_COLOR": "1"}
    command = [sys.executable, "-c", "from helixlog.commands.cli import main; raise SystemExit(main())"]

    def run(*args):
        done = subprocess.run([*command, *args], capture_output=True, text=True, env=env, check=False)
        return done.returncode, done.stdout, done.stderr

    def typing(words, *args):
        terminal, end = pty.openpty()
        with subprocess.Popen([*command, *args], stdin=end, stdout=end, stderr=end, env=env) as process:
            os.close(end)
            os.write(terminal, words.encode() + b"\n")
            shown = b""
            try:
                while chunk := os.read(terminal, 4096):
                    shown += chunk
            except OSError:
                pass
        os.close(terminal)
        return process.returncode, shown.decode()

    run.typing = typing
    return run


@pytest.fixture
def secret(tmp_path):
    with Memory(tmp_path / "store", embedder="static") as memory:
        memory.store("Mara's key is under the mat.", user="mara")
        return memory.store("The vault of zanzibarquux opens with a key.").id


def there(tmp_path):
    with Memory(tmp_path / "store") as memory:
        return {one.id for one in memory.list(state="all").memories}


def test_without_yes_nobody_is_asked_off_a_terminal_and_nothing_goes(helix, secret, tmp_path):
    code, _, err = helix("erase", secret)
    assert (code, "nothing was erased" in err, "--yes" in err) == (2, True, True)
    assert there(tmp_path) == {secret}


def test_with_yes_it_goes_and_the_receipt_is_json(helix, secret, tmp_path):
    code, out, _ = helix("erase", secret[:12], "--yes", "--json")
    receipt = json.loads(out)
    assert (code, receipt["texts"], receipt["dry_run"], receipt["seq"]) == (0, [secret], False, 4)
    assert receipt["copies"]
    assert receipt["derived"] == []
    assert there(tmp_path) == set()
    code, out, _ = helix("erase", secret, "--yes", "--json")
    assert (code, json.loads(out)["error"]["code"]) == (3, "not_found")


def test_a_dry_run_needs_no_yes(helix, secret, tmp_path):
    code, out, _ = helix("erase", secret, "--dry-run")
    assert code == 0
    assert "would erase" in out
    assert "copies may remain in" in out
    assert there(tmp_path) == {secret}


def test_all_of_a_user(helix, secret, tmp_path):
    code, out, _ = helix("erase", "--user", "mara", "--yes")
    assert code == 0
    assert "erased as @4" in out
    assert there(tmp_path) == {secret}
    code, _, err = helix("erase", "--user", "mara", "--yes")
    assert (code, "nothing in the store is of 'mara'" in err) == (3, True)


def test_at_a_terminal_the_word_has_to_be_typed(helix, secret, tmp_path):
    code, shown = helix.typing("yes", "erase", secret)
    assert (code, "nothing was erased" in shown) == (2, True)
    assert there(tmp_path) == {secret}
    code, shown = helix.typing("erase", "erase", secret)
    assert (code, "erased as @4" in shown) == (0, True)
    assert there(tmp_path) == set()
