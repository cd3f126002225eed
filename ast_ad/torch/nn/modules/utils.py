"""Which small tools do modules share? Numbers given once for all dimensions, and prefixes of state dicts."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["consume_prefix_in_state_dict_if_present"]


def _ntuple(n: int, name: str = "parse") -> Callable[[Any], tuple[Any, ...]]:
    """A function that makes ``n`` of one value; it leaves sequences as they are."""

    def parse(x: Any) -> tuple[Any, ...]:
        return tuple(x) if isinstance(x, Iterable) else tuple(itertools.repeat(x, n))

    parse.__name__ = name
    return parse


_single = _ntuple(1, "_single")
_pair = _ntuple(2, "_pair")
_triple = _ntuple(3, "_triple")
_quadruple = _ntuple(4, "_quadruple")


def _reverse_repeat_tuple(t: Iterable[Any], n: int) -> tuple[Any, ...]:
    """The values in reverse, each ``n`` times: paddings as ``functional.pad`` takes them."""
    return tuple(x for x in reversed(tuple(t)) for _ in range(n))


def told(module: Any, **usual: Any) -> list[str]:
    """``option=value`` for each option of a module that is not what it usually is.

    >>> from types import SimpleNamespace
    >>> told(SimpleNamespace(groups=2, bias=True), groups=1, bias=True)
    ['groups=2']
    """
    values = {name: getattr(module, name) for name in usual}
    return [
        f"{name}={value}"
        for name, value in values.items()
        if (value is not usual[name] if isinstance(usual[name], bool) else value != usual[name])
    ]


def consume_prefix_in_state_dict_if_present(state_dict: Any, prefix: str) -> None:
    """Take a prefix off the names in a state dict, in place.

    >>> state = {"module.weight": 1, "bias": 2}
    >>> consume_prefix_in_state_dict_if_present(state, "module.")
    >>> state
    {'bias': 2, 'weight': 1}
    """
    for key in [key for key in state_dict if key.startswith(prefix)]:
        state_dict[key[len(prefix) :]] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", {})
    for path in [path for path in metadata if f"{path}.".startswith(prefix)]:
        metadata[path[len(prefix) :]] = metadata.pop(path)
