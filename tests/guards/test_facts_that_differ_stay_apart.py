"""A number, a date, a name or a "not" changes a fact but hardly its vector: the guard must see it."""

import pytest
from helixlog.projections.ledger.guards import DATE, IDENTIFIER, NAME, NEGATION, NUMBER, ORDER, SUBSTITUTION, guard

PAIRS = [
    (NUMBER, "Code freeze starts on 15 October", "Code freeze starts on 16 October"),
    (NUMBER, "The service needs Python 3.11", "The service needs Python 3.12"),
    (NUMBER, "Travel budget is 4,000 euro", "Travel budget is 40,000 euro"),
    (NUMBER, "Ticket 1841 is fixed", "Ticket 1814 is fixed"),
    (NUMBER, "The budget is eight thousand euro", "The budget is nine thousand euro"),
    (NUMBER, "The timeout is 10 ms", "The timeout is 10 s"),
    (NUMBER, "Use 4 workers and 8 threads", "We use 8 workers with 4 threads"),
    (NUMBER, "Do the first migration", "Do the second migration"),
    (NUMBER, "Deploy takes minutes on staging", "Deploy takes 5 minutes on staging"),
    (NEGATION, "Direct pushes to main are allowed", "Direct pushes to main are not allowed"),
    (NEGATION, "Direct pushes to main are allowed", "Direct pushes to main are never allowed"),
    (NEGATION, "Direct pushes to main are allowed", "Direct pushes to main are no longer allowed"),
    (NEGATION, "Direct pushes to main are not allowed", "Direct pushes to main are never allowed"),
    (NEGATION, "Direct pushes to main are not allowed", "Direct pushes to main are no longer allowed"),
    (NEGATION, "Direct pushes to main are allowed", "Direct pushes to main aren't allowed any more"),
    (NEGATION, "Deploy with the VPN", "Deploy without the VPN"),
    (NEGATION, "We use tabs", "We used to use tabs"),
    (NEGATION, "The cache is enabled by default", "The cache is disabled by default"),
    (NEGATION, "By default the cache is enabled", "The cache is disabled by default"),
    (NEGATION, "The user is able to deploy", "The user is unable to deploy"),
    (NEGATION, "The list is empty", "The list is non-empty"),
    (NEGATION, "A careful review is needed", "A careless review is needed"),
    (NEGATION, "允许直接推送", "不允许直接推送"),
    (DATE, "Standup is on Monday and retro is on Friday", "Standup is on Friday and retro is on Monday"),
    (DATE, "Meet on Monday", "Meet on Tuesday"),
    (DATE, "It ships in March", "It ships in April"),
    (DATE, "The standup is at 9am", "The standup is at 10am"),
    (DATE, "The standup is at 9:00", "The standup is at 9:30"),
    (DATE, "The call was moved to today", "The call was moved to tomorrow"),
    (IDENTIFIER, "Edit src/auth.ts", "Edit src/user.ts"),
    (IDENTIFIER, "Set MAX_CONN first", "Set MIN_CONN first"),
    (IDENTIFIER, "Call getUser to load it", "Call getUsers to load it"),
    (IDENTIFIER, "Use `uv` for installs", "Use `pip` for installs"),
    (NAME, "Dana owns the billing service", "Sam owns the billing service"),
    (NAME, "Dana codes", "Sam codes"),
    (NAME, "The review goes to Dana", "The review goes to Sam"),
    (NAME, "Requests go to service A", "Requests go to service B"),
    (SUBSTITUTION, "The old API is used", "The new API is used"),
    (SUBSTITUTION, "Use the fast path for imports", "Use the slow path for imports"),
    (SUBSTITUTION, "Run the linter before the tests", "Run the linter after the tests"),
    (SUBSTITUTION, "The release is weekly", "The release is monthly"),
    (SUBSTITUTION, "You can use tabs", "You must use tabs"),
    (SUBSTITUTION, "The flag is on", "The flag is off"),
    (SUBSTITUTION, "She leads billing", "He leads billing"),
    (SUBSTITUTION, "The API runs on the small host", "The API runs on the spare host"),
    (SUBSTITUTION, "a < b fails", "a > b fails"),
    (ORDER, "Use tabs for Go and spaces for Python", "Use spaces for Go and tabs for Python"),
    (ORDER, "Use tabs, not spaces", "Use spaces, not tabs"),
    (ORDER, "Prefer tabs over spaces", "We prefer spaces over tabs"),
    (ORDER, "Migrate from Postgres to MySQL", "We migrate from MySQL to Postgres"),
    (ORDER, "Dana reports to Sam", "Sam reports to Dana, who leads it"),
]


@pytest.mark.parametrize(("flag", "one", "other"), PAIRS)
def test_the_guard_names_the_difference(flag, one, other):
    assert guard(one, other) & flag
    assert guard(other, one) & flag


def test_every_flag_is_one_bit_of_a_byte():
    flags = (NUMBER, NEGATION, DATE, IDENTIFIER, NAME, SUBSTITUTION, ORDER)
    assert flags == (1, 2, 4, 8, 16, 32, 64)
