"""How are parameters kept in lists and dicts? In modules that register each of them."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, KeysView, Mapping
from typing import Any, Self

from ....eager.tensor import Tensor
from ..parameter import Parameter
from .module import Module
from .registration import typename

__all__ = ["ParameterDict", "ParameterList"]


def no_digits(names: Iterable[str]) -> list[str]:
    """The names without those that are numbers."""
    return [name for name in names if not name.isdigit()]


def pairs(items: Iterable[Any], owner: str) -> Iterator[tuple[Any, Any]]:
    """The items, checked to be pairs."""
    for i, item in enumerate(items):
        if not isinstance(item, Iterable):
            raise TypeError(
                f"{owner} update sequence element #{i} should be Iterable; is{type(item).__name__}"
            )
        if len(item) != 2:  # type: ignore[arg-type]
            raise ValueError(
                f"{owner} update sequence element #{i} has length {len(item)}; 2 is required"  # type: ignore[arg-type]
            )
        key, value = item
        yield key, value


def _as_parameter(value: Any) -> Any:
    """Tensors become parameters, anything else stays what it is."""
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def _described(key: Any, value: Any, kind: str) -> str:
    if not isinstance(value, Tensor):
        return f"  ({key}): Object of type: {type(value).__name__}"
    size = "x".join(map(str, value.shape))
    name = "Parameter" if isinstance(value, Parameter) else "Tensor"
    return f"  ({key}): {name} containing: [{kind} of size {size}]"


class ParameterList(Module):
    """A list of parameters; tensors that are added become parameters.

    >>> import ast_ad
    >>> ast_ad.nn.ParameterList([ast_ad.zeros(2, 3)])
    ParameterList(  (0): Parameter containing: [torch.float32 of size 2x3])
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def _key(self, index: Any) -> str:
        index = operator.index(index)
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range")
        return str(index % len(self))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)([self[i] for i in range(*index.indices(len(self)))])
        return getattr(self, self._key(index))

    def __setitem__(self, index: int, param: Any) -> None:
        setattr(self, self._key(index), _as_parameter(param))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(len(self))])

    def __iadd__(self, parameters: Iterable[Any]) -> Self:
        return self.extend(parameters)

    def __dir__(self) -> list[str]:
        return no_digits(super().__dir__())

    def append(self, value: Any) -> Self:
        """Add a parameter, or any other value, at the end."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Add several values at the end."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(
                f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}"
            )
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        return "\n".join(_described(i, p, str(getattr(p, "dtype", ""))) for i, p in enumerate(self))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dict of parameters by name; tensors that are added become parameters.

    >>> import ast_ad
    >>> ast_ad.nn.ParameterDict({"w": ast_ad.zeros(2, 3)})
    ParameterDict(  (w): Parameter containing: [torch.FloatTensor of size 2x3])
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _checked(self, key: Any) -> str:
        if not isinstance(key, str):
            raise TypeError(
                f"Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                f"'{type(key).__name__}'). Open an issue on github if you need non-string keys."
            )
        return key

    def __getitem__(self, key: str) -> Any:
        return getattr(self, self._checked(key))

    def __setitem__(self, key: str, value: Any) -> None:
        setattr(self, self._checked(key), _as_parameter(value))
        self._keys[key] = None

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, self._checked(key))

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._keys)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def copy(self) -> ParameterDict:
        """Another dict of the same parameters."""
        return ParameterDict(OrderedDict(self.items()))

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value of ``key``, which is ``default`` from now on if there was none."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Remove all members."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key: str) -> Any:
        """Remove the member of a name and return it."""
        found = self[key]
        del self[key]
        return found

    def popitem(self) -> tuple[str, Any]:
        """Remove the member that was added last, and return its name and itself."""
        key = next(reversed(self._keys)) if self._keys else self._keys.popitem()[0]
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of ``key``, or ``default``."""
        return self[key] if key in self else default

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """Another dict, with one value for all keys."""
        return ParameterDict((k, default) for k in keys)

    def keys(self) -> KeysView[str]:
        return self._keys.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        return ((k, self[k]) for k in self._keys)

    def values(self) -> Iterable[Any]:
        return (self[k] for k in self._keys)

    def update(self, parameters: Any) -> None:
        """Add or replace members; those of a plain dict are sorted by name, as PyTorch does."""
        if not isinstance(parameters, (Iterable, ParameterDict)):
            raise TypeError(
                "ParametersDict.update should be called with an iterable of key/value pairs, but got "
                f"{type(parameters).__name__}"
            )
        if isinstance(parameters, (OrderedDict, ParameterDict)):
            named: Any = parameters.items()
        elif isinstance(parameters, Mapping):
            named = sorted(parameters.items())
        else:
            named = pairs(parameters, "ParameterDict")
        for key, value in named:
            self[key] = value

    def extra_repr(self) -> str:
        return "\n".join(_described(k, p, typename(p)) for k, p in self.items())

    def __call__(self, input: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other: Any) -> ParameterDict:
        found = self.copy()
        found.update(other)
        return found

    def __ror__(self, other: Any) -> ParameterDict:
        found: ParameterDict = other.copy()
        found.update(self)
        return found

    def __ior__(self, other: Any) -> Self:
        self.update(other)
        return self
