"""What is traced of an array whose class a user derived from ``np.ndarray``? The array, and the class.

``x.view(Kind)`` gives it the class, and NumPy's functions hand it on as they do for plain arrays, as they are
given one of that class. Methods and attributes that the class adds are found in it. A class that changes what
an array does (its operators, its items, the protocols of NumPy) is refused: no rule knows of it. What leaves
the trace is an array of NumPy's own.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from ..eager.array_classes import changed_by
from ..eager.numpy_protocol import run
from ..rules.registry import vjp
from .faces import makers
from .memory import SETTABLE, refused
from .traced_array import Traced, of_array


class TracedSubclass(Traced):
    """An array of a class that is derived from ``np.ndarray``: ``_python`` is what NumPy gets."""

    _face = Traced

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(self._python)

    def __getattr__(self, name: str) -> Any:
        """What the class has beside what arrays have, and what was set in the array."""
        if name in vars(self._python):
            return vars(self._python)[name]
        found = inspect.getattr_static(type(self._python), name, None)
        if found is None or hasattr(np.ndarray, name):
            return super().__getattr__(name)
        return found.__get__(self, type(self._python)) if hasattr(type(found), "__get__") else found

    def __setattr__(self, name: str, value: Any) -> None:
        if name[:1] == "_" and hasattr(Traced, name) or name in SETTABLE:
            return super().__setattr__(name, value)
        found = inspect.getattr_static(type(self._python), name, None)
        if hasattr(type(found), "__set__"):
            return found.__set__(self, value)
        vars(self._python)[name] = value
        return None

    def view(self, *args: Any, **kwargs: Any) -> Any:
        kind = args[-1] if args else kwargs.get("type", kwargs.get("dtype"))
        return viewed(self, kind) if _is_kind(kind) and len(args) + len(kwargs) == 1 else super().view(*args)

    def copy(self, order: str = "C") -> Any:
        return run(np.copy, (self,), {"order": order, "subok": True})


def of_class(x: Any, kind: Any) -> Any:
    """A view of an array, of this class."""
    return x.view(kind)


@vjp(of_class, view=True)
def _of_class_rule(g, ans, x, kind):  # type: ignore[no-untyped-def]
    return g, None  # whatever its class: they have the same operators


def viewed(t: Any, kind: Any) -> Any:
    """A view of a traced array, of this class."""
    why = changed_by(kind)
    if why:
        raise refused(f".view({kind.__name__})", why, "use np.asarray")
    return run(of_class, (t, kind), {})


def made(array: Any) -> Any:
    """An array of another class than NumPy's as a traced one; as one of NumPy's, where that has no form."""
    if array.dtype.kind not in "fc":
        return array
    plain = array.view(np.ndarray)
    if changed_by(array.__class__):
        return of_array(Traced, plain)
    return of_array(TracedSubclass, plain, array)


def _is_kind(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, np.ndarray)


makers.update(subclass=made, view=viewed)
