"""Threads that run one at a time, in an order that a seed decides: what each does between two turns is one step."""

from __future__ import annotations

import threading
from collections.abc import Callable
from random import Random


class Turns:
    """Runs actors step by step; an actor calls `turn` between its steps.

    Args:
        seed: Decides whose step is next.
    """

    def __init__(self, seed: int) -> None:
        self._chance = Random(seed)
        self._changed = threading.Condition()
        self._waiting: set[int] = set()
        self._granted: int | None = None
        self._running = 0
        self._numbers: dict[int, int] = {}
        self.order: list[int] = []

    def turn(self) -> None:
        """Wait for the next turn of this thread."""
        me = self._numbers[threading.get_ident()]
        with self._changed:
            self._waiting.add(me)
            self._running -= 1
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._granted == me)
            self._granted = None
            self._waiting.discard(me)

    def run(self, actors: list[Callable[[], None]]) -> list[BaseException]:
        """Run all to their end; what they raised."""
        errors: list[BaseException] = []

        def act(number: int, actor: Callable[[], None]) -> None:
            self._numbers[threading.get_ident()] = number
            try:
                self.turn()
                actor()
            except BaseException as error:  # noqa: BLE001 - whatever a thread meets is the test's to report
                errors.append(error)
            finally:
                with self._changed:
                    self._running -= 1
                    self._changed.notify_all()

        self._running = len(actors)
        threads = [threading.Thread(target=act, args=entry) for entry in enumerate(actors)]
        for thread in threads:
            thread.start()
        while self._grant():
            pass
        for thread in threads:
            thread.join()
        return errors

    def _grant(self) -> bool:
        """Give somebody a turn once all wait; False when all have ended."""
        with self._changed:
            assert self._changed.wait_for(lambda: not self._running, 60), "a step does not end"
            if not self._waiting:
                return False
            self._granted = self._chance.choice(sorted(self._waiting))
            self.order.append(self._granted)
            self._running += 1
            self._changed.notify_all()
            return True
