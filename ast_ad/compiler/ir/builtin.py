"""Which callables stand for Python syntax that is no operator: binding, unpacking, displays, raise, assert.

Each is an ordinary function, so that the evaluator runs it as any other; the emitter prints it as the
statement or expression that it stands for. The names that end in ``_`` mutate their first argument and
return it: they exist between the in-place pass and the emitter only, never before.
"""

from __future__ import annotations

import logging
import warnings
from typing import Any, NoReturn

import numpy as np


def assign(value: Any) -> Any:
    """``name = value``: a constant or another value under a name of its own."""
    return value


def told(value: Any, rank: int | None) -> Any:
    """``name = value``, where a condition has told how many axes it has (None: that it is not None)."""
    return value


def undefined() -> None:
    """A variable that has no value on this path."""
    return None


def raise_(error: BaseException | type[BaseException]) -> NoReturn:
    """``raise error``."""
    raise error


def assert_(condition: Any, message: Any = None) -> None:
    """``assert condition, message``; it holds under ``python -O`` too."""
    if not condition:
        raise AssertionError() if message is None else AssertionError(message)


def log_(logger: Any, level: int, place: tuple[str, int, str], message: Any, *values: Any) -> None:
    """``logger.log(level, message, *values)`` at a line of the user's: file, number, name of the function.

    What is logged may be kept and read later, when an array holds something else. The root logger is set up
    by its first use, as functions of ``logging`` do.
    """
    if logger.parent is None and not logger.handlers:
        logging.basicConfig()
    if logger.isEnabledFor(level):
        given = tuple(v.copy() if isinstance(v, np.ndarray) else v for v in values)
        file, line, name = place
        logger.handle(logger.makeRecord(logger.name, level, file, line, message, given, None, name))


TELLING = print, warnings.warn, log_  # what is seen outside, once for each call of the user's


def unread(*values: Any) -> None:
    """``value`` as a statement: it is computed only for the exception that this may raise."""


def restore(errors: dict[str, Any]) -> None:
    """``np.seterr(**errors)``: floating point errors are handled as before the ``np.seterr`` that gave it."""
    np.seterr(**errors)


def unpack(value: Any, length: int) -> tuple[Any, ...]:
    """``a, b = value``, with as many results as ``length``."""
    items = tuple(value)
    if len(items) != length:
        problem = "not enough values to unpack" if len(items) < length else "too many values to unpack"
        raise ValueError(f"{problem} (expected {length})")
    return items


def tuple_get(items: tuple[Any, ...], index: int) -> Any:
    """``items[index]`` of a tuple."""
    return items[index]


def make_tuple(*items: Any) -> tuple[Any, ...]:
    """``(a, b)``."""
    return items


def make_list(*items: Any) -> list[Any]:
    """``[a, b]``."""
    return list(items)


def call(function: Any, *args: Any, **kwargs: Any) -> Any:
    """``function(*args, **kwargs)`` of a function that is itself a run-time value."""
    return function(*args, **kwargs)


def copy(value: Any) -> Any:
    """``value.copy()`` of an array or a list. The axes of an array stay in memory as they are."""
    return np.copy(value) if isinstance(value, np.ndarray) else value.copy()


def ruled(
    rule: Any,
    values: tuple[Any, ...],
    inputs: tuple[Any, ...],
    others: tuple[Any, ...],
    reads: tuple[Any, ...],
    again: tuple[Any, ...],
) -> Any:
    """``values``, whose derivative by ``inputs`` is the user's: see ``adjoint.own_rules``.

    ``others``: what else the values depend on, of which the rule has no derivative; ``reads``: what the rule
    reads; ``again``: the values whose operations are differentiated once the rule has been used, none where
    it is the rule at every order. The operation is there as long as a program may be differentiated.
    """
    return values if len(values) != 1 else values[0]


def own(value: Any) -> Any:
    """The value with every array and list in it copied: what may be handed to a caller for keeps."""
    if isinstance(value, np.ndarray):
        return np.copy(value)
    if isinstance(value, (list, tuple)):
        return type(value)(map(own, value))
    if isinstance(value, dict):
        return {key: own(item) for key, item in value.items()}
    return value


def setitem_(array: Any, index: Any, value: Any) -> Any:
    """``array[index] = value``."""
    array[index] = value
    return array


def through(array: Any, index: Any, value: Any, path: Any) -> Any:
    """A copy of ``array`` with ``value`` at ``index`` of a view of it: see ``through_``."""
    return through_(np.array(array), index, value, path)


def through_(array: Any, index: Any, value: Any, path: Any) -> Any:
    """``array.T[1:][index] = value`` for the path ``(np.transpose, type), (operator.getitem, type, 1:)``.

    A step of the path is a function that gives a view, the type of that in the IR, and its other arguments.

    Raises:
        ValueError: a step gives a copy, as another shape may, by the order in memory.
    """
    seen = array
    for view, _, *args in path:
        seen = view(seen, *args)
    if seen.size and not np.may_share_memory(seen, array):
        raise ValueError("a write to a copy of an array, not to a view of it")
    seen[index] = value
    return array


def add_at_(array: Any, index: Any, value: Any) -> Any:
    """``np.add.at(array, index, value)``: repeated indices count every time."""
    np.add.at(array, index, value)
    return array


def add_item_(items: Any, index: Any, value: Any) -> Any:
    """``items[index] += value`` where no index repeats."""
    items[index] += value
    return items


def set_sum_(items: list[Any], index: int, value: Any) -> list[Any]:
    """``items[index] = items[index] + value``: the element may be shared, so it is replaced."""
    items[index] = items[index] + value
    return items


def iadd_(array: Any, value: Any) -> Any:
    """``array += value``."""
    array += value
    return array


def isub_(array: Any, value: Any) -> Any:
    """``array -= value``."""
    array -= value
    return array


def imul_(array: Any, value: Any) -> Any:
    """``array *= value``."""
    array *= value
    return array


def itruediv_(array: Any, value: Any) -> Any:
    """``array /= value``."""
    array /= value
    return array


def into_(array: Any, ufunc: Any, *args: Any) -> Any:
    """``ufunc(array, *args, out=array)``."""
    return ufunc(array, *args, out=array)


def fill_(array: Any, ufunc: Any, *args: Any) -> Any:
    """``ufunc(*args, out=array)``."""
    return ufunc(*args, out=array)


def append_(items: list[Any], value: Any) -> list[Any]:
    """``items.append(value)``."""
    items.append(value)
    return items


def insert_(items: list[Any], index: int, value: Any) -> list[Any]:
    """``items.insert(index, value)``."""
    items.insert(index, value)
    return items


def extend_(items: list[Any], more: list[Any]) -> list[Any]:
    """``items += more``."""
    items += more
    return items


def pop_(items: list[Any]) -> tuple[list[Any], Any]:
    """``value = items.pop()``."""
    return items, items.pop()


def pop_key_(items: dict[Any, Any], key: Any, *default: Any) -> tuple[dict[Any, Any], Any]:
    """``value = items.pop(key, *default)``."""
    return items, items.pop(key, *default)


def add_entry_(items: dict[Any, Any], key: Any, value: Any) -> dict[Any, Any]:
    """``items[key] = items.get(key, 0.0) + value`` for numbers."""
    items[key] = items.get(key, 0.0) + value
    return items


def sum_item_(items: list[Any], index: int, value: Any, add: Any) -> list[Any]:
    """``items[index] = add(items[index], value)`` for lists and tuples of numbers."""
    items[index] = add(items[index], value)
    return items


def within_(items: list[Any], path: tuple[int, ...], value: Any, change: Any) -> list[Any]:
    """``change(items, path, value)``, which writes to a list in a list."""
    change(items, path, value)
    return items


def sum_entry_(items: dict[Any, Any], key: Any, value: Any, add: Any) -> dict[Any, Any]:
    """``items[key] = add(items.get(key), value)`` for arrays, and lists and tuples of numbers."""
    items[key] = add(items.get(key), value)
    return items


MUTATORS = (
    setitem_, add_at_, add_item_, set_sum_, iadd_, isub_, imul_, itruediv_, into_, fill_, append_, extend_,
    pop_, pop_key_, add_entry_, insert_, sum_item_, sum_entry_, within_, through_,
)  # fmt: skip
