"""Which derivatives share their programs? Those of one function that ask the same of it.

``shared_by(function, *asked) -> tuple[Shared, Any]``. Users write ``grad(f)(x)`` in a loop, which makes a
derivative in each turn; what was compiled for the first one serves the others, with all guards, and the calls
of all of them count when it is decided about kernels. It is kept on the function's shelf (``shelves``). What
is about one derivative, as which program answered last, is not shared.
"""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable, Collection
from typing import Any

from ..options import Options
from ..registered import registrations
from ..rules.registry import changes, on_change
from ..shelves import Shelf, shelf_of
from .fitting.taken_paths import TakenPaths


class Shared:
    """What derivatives of one function have in common if they ask the same of it.

    ``told``: which gradients are zero; ``depths``: of recursions, in the calls so far; ``paths``: the lines
    that ran in those that were traced; ``cheaper``: by columns or by rows, for shapes of arguments;
    ``shelf``: of derivatives of these derivatives.
    """

    def __init__(self) -> None:
        self.programs: dict[Any, list[Any]] = {}
        self.tiers: dict[Any, Any] = {}
        self.told: set[str] = set()
        self.depths: dict[Any, int] = {}
        self.paths = TakenPaths()
        self.cheaper: dict[Any, Any] = {}
        self.quick: weakref.WeakSet[Any] = weakref.WeakSet()  # derivatives whose calls begin with a short way
        self.shelf = Shelf()
        with _lock:
            _every.add(self)

    def forget(self) -> None:
        """Nothing that was compiled so far is used again."""
        for known in (self.programs, self.tiers, self.cheaper):
            known.clear()
        self.lengthen()

    def lengthen(self, fast: Any = None) -> None:
        """Let calls begin the long way: all, or those that begin with this short way."""
        for derivative in list(self.quick):
            if fast is None or derivative._fast is fast:
                derivative._use(None)


_every: weakref.WeakSet[Shared] = weakref.WeakSet()
_lock = threading.RLock()


@on_change
def _begin_anew() -> None:
    """A function that was read has a rule now: its derivative is another one."""
    with _lock:
        known = list(_every)
    for shared in known:
        shared.forget()


def shared_by(function: Any, *asked: Any) -> tuple[Shared, Any]:
    """What all derivatives share that ask this of a function; their own, where that can't be known.

    And the key of what is asked, if it has one.
    """
    shelf = shelf_of(function)
    key = _key(function, asked)
    return Shared() if shelf is None or key is None else shelf.kept(key, Shared), key


def kept(function: Any, asked: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    """What ``make`` gives, once for a function and what is asked of it, if that can be known."""
    key = _key(function, asked)
    if key is None:
        return make()
    shelf = shelf_of(function)
    if shelf is not None:
        return shelf.kept(key, make)
    try:
        return _elsewhere.kept((type(function), function, key), make)
    except TypeError:  # a callable without a hash
        return make()


_elsewhere = Shelf()


class Sharing:
    """How a derivative has its programs in common with others, and begins its own calls.

    ``key``: of what it asks, None if it has none; ``lender``: whose it is, if it is that of a model.
    """

    shares_programs = True
    own = False  # whether the class is that of one object
    lender: Any = None
    function: Any
    question: Any
    options: Options
    _asked: tuple[Any, Any]
    _fast: Any

    def _common(self, function: Any) -> tuple[Shared, Any]:
        """What this derivative has in common with others of the function, and the key of what it asks."""
        return shared_by(function, self._public(), self._asked, self.question.has_aux, self.options)

    def share(self, shared: Shared, key: Any) -> None:
        """Have one's programs in common with other derivatives."""
        self.shared, self.key = shared, key
        self._programs: dict[Any, list[Any]] = shared.programs
        self._tiers: dict[Any, Any] = shared.tiers
        self.told, self.depths, self.paths = shared.told, shared.depths, shared.paths

    @property
    def so_far(self) -> tuple[dict[Any, int], Collection[Any]]:
        """What is known of earlier calls: how deep recursions went, and which lines ran in traces."""
        return self.depths, self.paths.ran

    @property
    def about(self) -> Any:
        """The function whose derivative this is."""
        return self.function

    def again(self, function: Any) -> Any:
        """The same of another function."""
        about = self.about.again(function) if hasattr(type(self.about), "shares_programs") else function
        return self._made_of(about)

    def _made_of(self, function: Any) -> Any:
        return self._public()(function, *self._asked, self.question.has_aux, self.options)

    def let_go(self, since: int) -> None:
        """Let go of what was made while a rule was registered: it may have been read without it."""
        if changes() != since:
            self.shared.forget()

    def _answered_by(self, program: Any) -> None:
        """Note what answers a call."""
        if self.lender is not None:
            self.lender.approve(self, program)
        self._last = program

    def _use(self, fast: Any) -> None:
        """Let calls begin with a short way.

        Python looks for ``__call__`` in classes only, so the object gets one of its own.
        """
        if fast is not self._fast:
            public, self._fast = self._public(), fast
            if type(self) is public:
                self.__class__ = type(public.__name__, (public,), {"__doc__": public.__doc__, "own": True})
            type(self).__call__ = public.__call__ if fast is None else fast  # type: ignore[method-assign]
            if fast is not None:
                self.shared.quick.add(self)

    def _public(self) -> Any:
        """The class that users know."""
        return type(self).__mro__[1] if type(self).own else type(self)

    def forget(self, fast: Any) -> None:
        """A short way is none any more."""
        fast.program.forget()
        self.shared.lengthen(fast.run)


def _key(function: Any, asked: Any) -> Any:
    """A key of what is asked of a function as it is now; None where something has no hash.

    Rules and containers that are registered meanwhile, and code that is replaced, make it another question.
    """
    try:
        key = (getattr(function, "__code__", None), changes(), registrations(), frozen(asked))
        hash(key)
    except TypeError:
        return None
    return key


def frozen(value: Any) -> Any:
    """A value as a part of a key: equal for equal values of the same types.

    >>> frozen([1, {"a": 2}]) == frozen([1, {"a": 2}]), frozen((1,)) == frozen((1.0,))
    (True, False)
    """
    if isinstance(value, (tuple, list)):
        return type(value), tuple(map(frozen, value))
    if isinstance(value, dict):
        return dict, tuple((frozen(k), frozen(v)) for k, v in value.items())
    if type(value) is functools.partial:
        return functools.partial, frozen((value.func, value.args, value.keywords))
    return type(value), value
