"""From the methods of a problem in plain Python to addresses that the kernel can call.

What is asked only once goes through answers.py; the rest is a call into Python every time. For compiled
problems ../binding.py does the same.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

from ...core.interrupts import between_steps, raise_dropped
from ...core.native import address_of_python, plain_array_at
from ...core.random import make_draws_ready
from .. import contract
from ..binding import ARITY, F8, U8
from ..random import Generator
from .answers import Answers, address_of
from .asked import AskedProblem

# ctypes reads and writes a word in a tenth of the time that a NumPy view of it takes
_Word, _Pair = ctypes.c_int64, ctypes.c_double * 2


class PythonBinding:
    """The addresses of one problem's methods, made when first asked for, and what the methods raised."""

    def __init__(self, problem: AskedProblem) -> None:
        self._problem = problem
        self._made: dict[str, tuple[int, Any]] = {}
        self._generators: dict[int, Generator] = {}
        self._known: Answers | None = None
        self._raised: BaseException | None = None
        self.lock = threading.RLock()  # held while methods are called: other threads may search the same problem
        self._keyed = type(problem).key.__qualname__ != "PythonProblem.key"  # states may be mutable: check them

    @property
    def params_at(self) -> int:
        """Address of the record of the problem's answers."""
        if self._known is None:
            self._known = Answers(self._problem, self._keep)
        return self._known.address

    def address(self, name: str) -> int:
        """Address of the wrapper of a function that the problem defines."""
        problem = self._problem
        once = name in ("legal", "player", "outcomes", "count_outcomes")
        if name in ("step", "rollout"):
            once = problem.deterministic or problem.has_outcomes
        if name == "rollout" and (problem.has("random_action") or "rollout" in problem.functions()):
            once = False
        if problem.boxes is not None and name != "player":
            once = False  # what is drawn never comes again
        return address_of(name) if once else self._address_of_method(name)

    def _address_of_method(self, name: str) -> int:
        if name not in self._made:
            make_draws_ready()  # before a clock starts
            wrapper: Callable[..., int] = getattr(self, f"_{name}")
            self._made[name] = address_of_python(wrapper, ARITY[name], self._keep)
        return self._made[name][0]

    def _keep(self, error: BaseException) -> None:
        self._raised = error

    def reraise(self) -> None:
        """Raise what a method raised inside the kernel, as it was raised, or an interrupt that kept it from running.

        Of several searches that failed at the same time only one finds its error here.
        """
        error, self._raised = self._raised, None
        if error is not None:
            raise error
        raise_dropped()

    # What the kernel calls

    def _generator(self, address: int) -> Generator:
        found = self._generators.get(address)
        if found is None:
            found = self._generators[address] = Generator(plain_array_at(address, 2, U8))
        return found

    def _object_at(self, state: int) -> Any:
        return self._problem.object_of(_Word.from_address(state).value)

    def _action(self, given: int) -> Any:
        """An action as methods take it: its number, or what lies at an address."""
        boxes = self._problem.boxes
        return given if boxes is None else boxes.at(given)

    def _propose(self, params: int, state: int, rng: int, out: int) -> int:
        problem = self._problem
        assert problem.boxes is not None
        drawn = contract.drawn_of(problem, "propose", self._object_at(state), self._generator(rng))
        plain_array_at(out, problem.boxes.size, F8)[:] = problem.boxes.vector(drawn)
        return 0

    def _start(self, params: int, state: int, rng: int) -> int:
        problem = self._problem
        _Word.from_address(state).value = problem.number_of(problem.start(self._generator(rng)))
        return 0

    def _step(self, params: int, state: int, action: int, rng: int, out: int) -> int:
        between_steps()
        problem, word = self._problem, _Word.from_address(state)
        here, action = problem.object_of(word.value), self._action(action)
        before = problem.key(here) if self._keyed else None
        answer = problem.step(here, action, self._generator(rng))
        if self._keyed and problem.key(here) != before:
            problem.refuse_changed("step", before)
        result = _Pair.from_address(out)
        try:
            following, result[0], done = answer
        except (TypeError, ValueError, OverflowError):
            done = None
        if done is not True and done is not False:  # anything else is checked closely, and refused if it is wrong
            following, result[0], done = contract.transition(problem, "step", answer, here, action)
        word.value = problem.number_of(following)
        result[1] = 1.0 if done else 0.0
        return 0

    def _prior(self, params: int, state: int, out: int, size: int) -> int:
        plain_array_at(out, size, F8)[:] = contract.prior_of(self._problem, self._object_at(state))
        return 0

    def _heuristic(self, params: int, state: int, out: int) -> int:
        _Pair.from_address(out)[0] = contract.heuristic_of(self._problem, self._object_at(state))
        return 0

    def _bounds(self, params: int, state: int, out: int) -> int:
        _Pair.from_address(out)[:] = [*contract.bounds_of(self._problem, self._object_at(state))]
        return 0

    def _rollout(self, params: int, state: int, rng: int, steps: int, out: int, mask: int, actions: int) -> int:
        between_steps()
        value = contract.rollout_of(self._problem, self._object_at(state), steps, self._generator(rng))
        _Pair.from_address(out)[0] = value
        return 0

    def _observe(self, params: int, before: int, action: int, after: int, rng: int, out: int) -> int:
        problem = self._problem
        seen = problem.observe(  # type: ignore[attr-defined]
            self._object_at(before), self._action(action), self._object_at(after), self._generator(rng)
        )
        _Word.from_address(out).value = problem.number_of_observation(seen)
        return 0

    def _observation_probability(self, params: int, seen: int, before: int, action: int, after: int, out: int) -> int:
        problem = self._problem
        observation = problem.observation_of(_Word.from_address(seen).value)
        _Pair.from_address(out)[0] = contract.observation_probability_of(
            problem, observation, self._object_at(before), self._action(action), self._object_at(after)
        )
        return 0

    def _perturb(self, params: int, state: int, rng: int) -> int:
        problem, word = self._problem, _Word.from_address(state)
        perturbed = problem.perturb(problem.object_of(word.value), self._generator(rng))  # type: ignore[attr-defined]
        word.value = problem.number_of(perturbed)
        return 0
