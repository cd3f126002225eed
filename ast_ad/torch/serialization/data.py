"""What is plain data? Numbers, text and containers of them, which mean the same to every program.

Reader and writer share these rules, so that what is written can be read.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from typing import Any

from ...eager.dtypes import dtype
from ...eager.metadata import Size, device, layout
from ...eager.tensor import Tensor
from .limits import MAX_DEPTH
from .problems import refused

SCALARS: tuple[type, ...] = (type(None), bool, int, float, complex, str, bytes, bytearray)
VALUES: tuple[type, ...] = (*SCALARS, dtype, device, layout, Size)
KEYS: tuple[type, ...] = (type(None), bool, int, float, complex, str, bytes, dtype)


def is_key(key: object) -> bool:
    """Whether something may be a key of a dict or an element of a set.

    Integers of 64 bits, and tuples only of simple keys: others can make a dict very slow.
    """
    if type(key) is tuple or type(key) is Size:
        return all(type(each) in KEYS and _is_small(each) for each in key)
    return type(key) in KEYS and _is_small(key)


def _is_small(key: object) -> bool:
    return type(key) is not int or -(1 << 63) <= key < 1 << 63


def check_key(key: object) -> None:
    if not is_key(key):
        raise refused(
            f"a key of type {type(key).__name__}",
            "keys are text, numbers of at most 64 bits, and tuples of these",
        )


# By these PyTorch knows buffers, and parameters of classes of their own.
_MARKS = ("_is_buffer", "_is_param")


def attribute_problem(cls: type, name: object, value: object) -> str:
    """Why a tensor can't have such an attribute; empty if it can."""
    if type(name) is str and name in _MARKS and type(value) is bool:
        return ""
    if type(name) is not str or not name.isidentifier() or name.startswith("_"):
        return "such names are not the users'"
    if hasattr(cls, name):
        return "it would hide what the name means for tensors"
    return "" if type(value) in SCALARS else "only numbers and text can be attributes"


def attributes(tensor: Tensor) -> dict[str, Any]:
    """The attributes that users gave a tensor."""
    own = tensor.__dict__
    return {name: value for name, value in own.items() if not name.startswith("_") or name in _MARKS}


def check_data(found: Any) -> None:
    """FileFormatError unless all of it is data that ends: no cycle, no names by themselves, not too deep."""
    depths: dict[int, int] = {}  # of the containers seen: 0 while their elements are looked at
    stack: list[tuple[Any, bool]] = [(found, False)]
    while stack:
        each, done = stack.pop()
        if type(each) in VALUES or isinstance(each, Tensor):
            continue
        children = _children(each)
        if done:
            depth = 1 + max([depths.get(id(child), 0) for child in children], default=0)
            if depth > MAX_DEPTH:
                raise refused(
                    f"containers within containers, more than {MAX_DEPTH}", "no checkpoint needs that"
                )
            depths[id(each)] = depth
        elif id(each) not in depths:
            depths[id(each)] = 0
            stack.append((each, True))
            stack += [(child, False) for child in children]
        elif not depths[id(each)]:
            raise refused("a container that contains itself", "checkpoints are trees")


def _children(container: Any) -> list[Any]:
    kind = type(container)
    if kind is list or kind is tuple:
        return list(container)
    if kind is set:
        return []  # its elements are keys
    if kind in (dict, OrderedDict, Counter):
        extra = [container._metadata] if "_metadata" in getattr(container, "__dict__", {}) else []
        return [*container.values(), *extra]
    name = getattr(container, "name", kind.__name__)
    raise refused(f"the file holds {name} itself", "functions, types and bare storages are not data here")
