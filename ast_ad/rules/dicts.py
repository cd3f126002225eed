"""How do values flow through dicts whose keys are known at run time only?

As lists (containers.py), they are values: every operation returns a new dict, and generated code changes the
old one where it is dead. The cotangent of a dict is a dict; a key that it lacks has the cotangent zero, so
that the cotangent of a dict that nobody has read yet is empty.
"""

from __future__ import annotations

from typing import Any

from .containers import add
from .registry import nondifferentiable

Dict = dict[Any, Any]


def dict_empty() -> Dict:
    """``{}``.

    >>> dict_empty()
    {}
    """
    return {}


def dict_get(d: Dict, k: Any) -> Any:
    """``d[k]``.

    >>> dict_get({3: 1.0}, 3)
    1.0
    """
    return d[k]


def dict_get_or(d: Dict, k: Any, v: Any) -> Any:
    """``d.get(k, v)``.

    >>> dict_get_or({3: 1.0}, 4, 0.0)
    0.0
    """
    return d.get(k, v)


def dict_set(d: Dict, k: Any, v: Any) -> Dict:
    """``d`` with ``d[k] = v``.

    >>> dict_set({3: 1.0}, 4, 2.0)
    {3: 1.0, 4: 2.0}
    """
    return {**d, k: v}


def dict_pop(d: Dict, k: Any) -> tuple[Dict, Any]:
    """``d`` without the key ``k``, and what it had.

    >>> dict_pop({3: 1.0, 4: 2.0}, 3)
    ({4: 2.0}, 1.0)
    """
    rest = dict(d)
    return rest, rest.pop(k)


def dict_take(d: Dict, k: Any, v: Any) -> tuple[Dict, Any]:
    """``d`` without the key ``k``, and what it had, or ``v`` if there is no such key.

    >>> dict_take({3: 1.0}, 4, 0.0)
    ({3: 1.0}, 0.0)
    """
    rest = dict(d)
    return rest, rest.pop(k, v)


def dict_add_at(d: Dict, k: Any, v: Any) -> Dict:
    """``d`` with ``v`` added to what the key ``k`` has; a key that it lacks has zero.

    >>> dict_add_at({3: 1.0}, 3, 2.0), dict_add_at({}, 3, 2.0)
    ({3: 3.0}, {3: 2.0})
    """
    return {**d, k: add(d.get(k), v)}


def dict_add(a: Dict, b: Dict) -> Dict:
    """The sum of two cotangents, key by key.

    >>> dict_add({3: 1.0}, {3: 2.0, 4: 5.0})
    {3: 3.0, 4: 5.0}
    """
    return {**a, **{k: add(a.get(k), v) for k, v in b.items()}}


def dict_keys(d: Dict) -> list[Any]:
    """``list(d)``.

    >>> dict_keys({3: 1.0, 4: 2.0})
    [3, 4]
    """
    return list(d)


def dict_len(d: Dict) -> int:
    """``len(d)``.

    >>> dict_len({3: 1.0})
    1
    """
    return len(d)


def dict_has(d: Dict, k: Any) -> bool:
    """``k in d``.

    >>> dict_has({3: 1.0}, 4)
    False
    """
    return k in d


def member(x: Any) -> Any:
    """A value as what a set holds of it: that it equals another, which decides, and nothing else is asked.

    >>> member(2.5)
    2.5
    """
    return x


nondifferentiable(dict_keys, dict_len, dict_has, member)
