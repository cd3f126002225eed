"""Does a program fit a call? Guards, constants, kinds of what is read from outside, patterns of lengths."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Sequence
from typing import Any

from ...compiler.frontend.aspects import aspect_of
from ...compiler.frontend.captures import Captures
from ...compiler.frontend.inputs import Inputs
from ...compiler.frontend.length_patterns import Known, pattern, shapes_of
from ...compiler.frontend.signatures import signature
from ...compiler.frontend.told_values import same_constant
from ...errors import ELSEWHERE, SAME, TWICE, SharedMemoryError, UnsupportedError
from ...trees import changed, containers, repeated
from .kept_stores import Given, Stores

GONE = KeyError, AttributeError, IndexError, ValueError, TypeError  # of what is read along a path


class Fit:
    """What has to hold for a call to use a program.

    ``captures``: what is read from outside, of which the first ``passed`` are inputs; ``constants``: the
    arguments that are compiled in; ``changes``: whether the program changes lists, dicts or objects.
    """

    def __init__(self, primal: Any) -> None:
        inputs = primal.inputs
        self.guards, self.known = inputs.guards, inputs.lengths.known
        self._pattern: Any = None  # of the call that it was compiled for
        self._shapes: Any = None  # that fitted last
        self.captures = Captures()
        outside = [*inputs.captures, *inputs.observed]
        for path, _, _ in outside:
            self.captures.add(path)
        self.signatures = [kind for _, _, kind in outside]
        self.passed = len(inputs.captures)
        self.constants = [
            (key[1], "".join(key[2:]), value) for key, value in primal.constants.items() if key[0] == "arg"
        ]
        self.changes = getattr(inputs, "changes", False)  # what is stored on disk changes none
        self.asks = getattr(inputs, "asks", False)
        self.stores = Stores(primal.stores)
        # The lists, dicts and objects that it finds outside, if it matters that one is an argument, too.
        self.elsewhere = [*inputs.sources, *inputs.places.objects] if self.changes else []
        if isinstance(inputs, Inputs):  # and not what an earlier process has left on the disk
            inputs.captured = {}
            inputs.sources = dict.fromkeys(inputs.sources)  # the program reads them anew, along their paths
            inputs.places.let_go()

    def inputs(self, leaves: list[Any], objects: Sequence[Any] = ()) -> list[Any] | None:
        """The program's inputs; None where constants, guards or kinds of outside values are not this build's.

        ``objects``: the arguments that are objects, which paths may start from.
        """
        for position, aspect, value in self.constants:
            if not same_constant(aspect_of(leaves[position], aspect), value):
                return None
        if not self.guards.check(objects):
            return None
        if self.stores:
            return self._given(leaves, objects)
        return self._with_outside(leaves, objects)

    def _given(self, leaves: list[Any], objects: Sequence[Any]) -> Given | None:
        """The inputs of a program that stores; what it finds there is read before anything else."""
        try:
            owners, before = self.stores.prepare(objects)
        except GONE:
            return None
        inputs = self._with_outside(leaves, objects)
        if inputs is None or _any_of(owners, objects):
            return None
        given = Given(inputs)
        given.owners, given.before, given.objects = owners, before, objects
        given.read = functools.partial(self.inputs, leaves, objects)
        return given

    def _with_outside(self, leaves: list[Any], objects: Sequence[Any]) -> list[Any] | None:
        if self.changes and (repeated(objects) or _any_of(self._outside(objects), objects)):
            return None
        if self.changes and changed.parts is not None:  # in copies of its own
            changed.note(part for value in objects for part in containers(value))
        if not self.signatures:
            return leaves if self.known is Known.ONES or self._fits_lengths(leaves) else None
        try:
            outside = self.captures.read(objects)
        except GONE:
            return None
        if list(map(signature, outside)) != self.signatures:
            return None
        if self.known is not Known.ONES and not self._fits_lengths(leaves + outside):
            return None
        return leaves + outside[: self.passed]

    def _fits_lengths(self, values: list[Any]) -> bool:
        """Whether the lengths have the pattern that the program was compiled for."""
        shapes = shapes_of(values)
        if shapes == self._shapes:
            return True
        found = pattern(shapes, self.known)
        if self._pattern is None:  # the first call is the one that it was compiled for
            self._pattern = found
        if found != self._pattern:
            return False
        self._shapes = shapes
        return True

    def check_repeated(self, objects: Sequence[Any]) -> None:
        """The arguments of a call that the program is for.

        Raises
        ------
        UnsupportedError
            if one list, dict or object is in them twice, or has another name outside, and the program
            changes such a one, or asks by `is`; no trace answers that.
        """
        twice = self.changes and repeated(objects)
        elsewhere = _any_of(self._outside(objects), objects) or _any_of(self._owners(objects), objects)
        if self.asks and (twice or elsewhere):
            error = SharedMemoryError(*SAME)
            error.untraceable = True
            raise error
        if twice or elsewhere:
            raise UnsupportedError(*(TWICE if twice else ELSEWHERE))

    def _outside(self, objects: Sequence[Any]) -> list[Any]:
        """The lists, dicts and objects that the program finds outside, where it changes arguments."""
        found = []
        for path in self.elsewhere:
            with contextlib.suppress(*GONE):
                found.append(path.read(objects))
        return found

    def _owners(self, objects: Sequence[Any]) -> list[Any]:
        """What the program stores in."""
        with contextlib.suppress(*GONE):
            return self.stores.prepare(objects)[0]
        return []


def _any_of(found: Sequence[Any], objects: Sequence[Any]) -> bool:
    """Whether a list, dict or object is one of those that the arguments are made of."""
    if not found:
        return False
    own = {id(part) for value in objects for part in containers(value)}
    return any(id(one) in own for one in found)
