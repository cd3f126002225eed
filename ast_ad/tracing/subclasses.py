"""What is traced of an array whose class a user derived from ``np.ndarray``? The array, and the class.

``x.view(Kind)`` gives it the class, and NumPy's functions hand it on as they do for plain arrays, as they are
given one of that class. Methods and attributes that the class adds are found in it. A class that changes what
NumPy does with an array (its comparisons, the protocols) is refused: no rule knows of it. One whose own code
chooses items, by names say, is asked for the index that it hands on. What leaves the trace is an array of
NumPy's own.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np

from ..eager.array_classes import changed_by
from ..eager.dispatch import plain_of
from ..eager.numpy_protocol import run
from ..rules.registry import vjp
from .faces import makers
from .memory import SETTABLE, refused
from .traced_array import Traced, of_array


class TracedSubclass(Traced):
    """An array of a class that is derived from ``np.ndarray``: ``_python`` is what NumPy gets."""

    _face = Traced
    _held: Any = property(lambda self: self._python)  # the array as one of its class

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(self._held)

    def __getattr__(self, name: str) -> Any:
        """What the class has beside what arrays have, and what was set in the array."""
        if name in vars(self._held):
            return vars(self._held)[name]
        found = inspect.getattr_static(type(self._held), name, None)
        if found is None or hasattr(np.ndarray, name):
            return super().__getattr__(name)
        return found.__get__(self, type(self._held)) if hasattr(type(found), "__get__") else found

    def __setattr__(self, name: str, value: Any) -> None:
        ours = name[:1] == "_" and (hasattr(Traced, name) or name in self.__dict__)  # as a view's counter is
        if ours or name in SETTABLE:
            return super().__setattr__(name, value)
        found = inspect.getattr_static(type(self._held), name, None)
        if hasattr(type(found), "__set__"):
            return found.__set__(self, value)
        vars(self._held)[name] = value
        return None

    def __getitem__(self, index: Any) -> Any:
        if type(self._held).__getitem__ is np.ndarray.__getitem__:
            return super().__getitem__(index)
        return chosen(self, index)

    def view(self, *args: Any, **kwargs: Any) -> Any:
        kind = args[-1] if args else kwargs.get("type", kwargs.get("dtype"))
        return viewed(self, kind) if _is_kind(kind) and len(args) + len(kwargs) == 1 else super().view(*args)

    def copy(self, order: str = "C") -> Any:
        return run(np.copy, (self,), {"order": order, "subok": True})


ITEMS = frozenset({"__getitem__"})
USUAL = (
    0,
    -1,
    slice(1),
    slice(None, None, -1),
    ...,
    (..., 0),
    (slice(None), 1),
    (0, 2),
    [1, 0],
    np.eye(2, 3) > 0.0,
)


def of_class(x: Any, kind: Any) -> Any:
    """A view of an array, of this class."""
    return x.view(kind)


@vjp(of_class, view=True)
def _of_class_rule(g, ans, x, kind):  # type: ignore[no-untyped-def]
    return g, None  # whatever its class: they have the same operators


def viewed(t: Any, kind: Any) -> Any:
    """A view of a traced array, of this class."""
    why = (
        changed_by(kind, ITEMS)
        and changed_by(kind, makers["own"])
        or not chooses_alike(kind)
        and f"{kind.__name__} changes what arrays do: items"
    )
    if why:
        raise refused(f".view({kind.__name__})", why, "use np.asarray")
    return run(of_class, (t, kind), {})


def made(array: Any) -> Any:
    """An array of another class than NumPy's as a traced one; as one of NumPy's, where that has no form."""
    if array.dtype.kind not in "fc":
        return array
    plain, kind = array.view(np.ndarray), array.__class__
    if not chooses_alike(kind):
        return of_array(Traced, plain)
    if not changed_by(kind, ITEMS):
        return of_array(TracedSubclass, plain, array)
    return of_array(Traced, plain) if changed_by(kind, makers["own"]) else makers["operated"](plain, array)


def chooses_alike(kind: Any) -> bool:
    """Whether the items of a class are those of arrays where it is asked by numbers, slices and booleans.

    NumPy's own code in Python asks so.
    """
    if kind.__getitem__ is np.ndarray.__getitem__:
        return True
    plain = np.arange(6.0).reshape(2, 3)
    try:
        return all(np.array_equal(plain[index], np.asarray(plain.view(kind)[index])) for index in USUAL)
    except Exception:  # of a class that is made in another way
        return False


def chosen(t: Any, index: Any) -> Any:
    """An item as the code of the class chooses it: by the index that it hands on to arrays in the end."""
    kind: Any = type(t._held)
    asked = t._array.view(_recorder(kind))
    asked.__dict__.update(vars(t._held))
    calls: list[Any] = []
    asked.__dict__[CALLS] = calls
    found = asked[plain_of(index)]
    if len(calls) != 1 or calls[0][1] is not found:
        raise refused(f"an item of a {kind.__name__}", "its code does more than to choose", "use np.asarray")
    result = Traced.__getitem__(t, _plain_index(calls[0][0]))
    if isinstance(found, kind):
        own = {name: value for name, value in vars(found).items() if name != CALLS}
        vars(result._held).update(own)
    return result


def _plain_index(index: Any) -> Any:
    """An index in which arrays of classes, that conditions made of them, are arrays."""
    if isinstance(index, tuple):
        return tuple(map(_plain_index, index))
    return np.asarray(index) if isinstance(index, np.ndarray) else index


CALLS = "__ast_ad_calls__"


class _Recorder(np.ndarray):
    """Notes what is asked of an array, and what it gives."""

    def __getitem__(self, index: Any) -> Any:
        found = np.ndarray.__getitem__(self, index)
        calls = vars(self).get(CALLS)
        if calls is not None:
            calls.append((index, found))
        return found


@functools.lru_cache(maxsize=256)
def _recorder(kind: Any) -> Any:
    """The class, where a note stands behind its own code."""
    return type(kind.__name__, (kind, _Recorder), {})


def _is_kind(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, np.ndarray)


makers.update(subclass=made, view=viewed, face=TracedSubclass)
