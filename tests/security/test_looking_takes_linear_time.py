"""Twice the text takes about twice the time, whatever is in it: no pattern can be made to try again and again."""

from __future__ import annotations

import re
import time

import pytest
from helixlog.security import scan
from hypothesis import given, settings
from hypothesis import strategies as st

PIECES = (
    *("ignore ", "ignore all ", "forget your ", "you are now ", "do not tell ", "<system ", "<", "< " * 3),
    *(
        "password: ",
        "token=",
        "api key ",
        "bearer ",
        "://a:",
        "@",
        "sk-",
        "sk-proj-",
        "AKIA",
        "eyJ",
        "eyJa.",
        "eyJaaaaaaaa.",
    ),
    *("xoxb-", "github_pat_", "-----BEGIN ", "PRIVATE KEY", "SG.", ":AA", "hooks.slack.com/services/T"),
    *(
        "![",
        "](",
        "](http",
        "<img ",
        "<img src=",
        "curl ",
        "| ",
        "| sh ",
        "http://",
        "$(",
        "bash <(",
        "wget ",
        "nc -",
        "/dev/tcp/",
    ),
    *(
        " ",
        "\n",
        "a",
        "A",
        "9",
        "_",
        "-",
        ".",
        "=",
        '"',
        "\u200b",
        "\u200d",
        "é",
        "\u0430",
        "👩",
        "\ufe0f",
        "\U0001f3f4",
        "\U000e0067",
    ),
)
SIZE = 1 << 20
PER_CHARACTER = 4e-6
"""Seconds of CPU for a character that no text may cost: about a hundred times what an ordinary one does."""


def cost(text):
    start = time.process_time()
    scan(text)
    return time.process_time() - start


@pytest.mark.parametrize("piece", PIECES)
def test_a_megabyte_of_one_piece(piece):
    assert cost(piece * (SIZE // len(piece))) < PER_CHARACTER * SIZE


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6), st.sampled_from(PIECES))
def test_a_quarter_of_a_megabyte_of_any_pieces(pieces, between):
    unit = between.join(pieces) + between
    text = unit * (SIZE // 4 // len(unit))
    assert cost(text) < PER_CHARACTER * max(len(text), 1000)


def test_a_pattern_that_tries_again_and_again_would_be_seen():
    text = "eyJ" * 30_000
    start = time.process_time()
    re.search(r"eyJ[A-Za-z0-9]+\.", text)
    assert time.process_time() - start > PER_CHARACTER * len(text)


def test_an_ordinary_note_is_soon_looked_at():
    note = "Deploys to eu-west-1 go through the blue pipeline; run the migrations before the new version starts. " * 2
    scan(note)
    assert min(cost(note) for _ in range(200)) < 200e-6
