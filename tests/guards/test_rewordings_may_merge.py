"""The other half of the promise: what means the same is not kept apart for its wording."""

import pytest
from helixlog.projections.ledger.guards import guard, mark

PAIRS = [
    ("The deploy script needs the VPN to be up", "You need the VPN up for the deploy script"),
    ("The user prefers dark mode", "The user prefers dark mode in the editor"),
    ("Sam likes tabs", "Sam likes tabs for everything"),
    ("Always sign commits", "Always sign the commits, please"),
    ("Deploys happen on Fridays", "Deploys happen on Friday"),
    ("We use tabs for indentation", "We are using tabs for indentation"),
    ("We use uv", "The team uses uv"),
    ("Do not push to main", "Don't push to main"),
    ("You cannot log in", "You can't log in"),
    ("There is no VPN", "There isn't a VPN"),
    ("It's cached", "It is cached"),
    ("The build is slow.", "the build is slow"),
    ("ALWAYS USE TABS", "Always use tabs"),
    ("Timeout: 30 seconds", "The timeout is 30 s"),
    ("The budget is 8,000 euro", "The budget is eight thousand euros"),
    ("Coffee costs $5", "Coffee costs 5 dollars"),
    ("Code freeze starts on 15 October", "The code freeze starts on October 15th"),
    ("Release on 2026-10-15", "The release is on 15 October 2026"),
    ("Standup is at 9am", "Standup is at 9:00"),
    ("Run the linter before every commit", "Before each commit the linter must be run"),
    ("Restarting the server clears the cache", "Clear the cache by restarting the server"),
    ("Tests should be run with `pytest`", "Run tests with pytest"),
    ("The repo config lives in pyproject.toml", "The configuration of the repository is in pyproject.toml"),
    ("The service requires Python 3.11", "Python 3.11 is needed by the service"),
    ("The colour of the button is grey", "The button's color is gray"),
    ("One of the tests is flaky", "A test of those is flaky"),
]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_a_rewording_passes_every_guard(one, other):
    assert guard(one, other) == 0
    assert mark(one) == mark(other) or None in {mark(one), mark(other)}


def test_two_unrelated_sentences_with_not_differ_in_no_number_or_date():
    assert guard("Tabs are not allowed", "The build does not run on ARM hosts") & (1 | 2 | 4) == 0
