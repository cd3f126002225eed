"""How are modules combined? One after the other, or in lists and dicts whose members are registered."""

from __future__ import annotations

import itertools
import operator
from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Any, Self

from .module import Module, indented
from .parameter_containers import ParameterDict, ParameterList, no_digits, pairs

__all__ = ["ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


class _Numbered(Module):
    """What sequences of modules have in common: their members' names are the numbers from 0."""

    def _position(self, index: Any) -> int:
        position, n = operator.index(index), len(self._modules)
        if not -n <= position < n:
            raise IndexError(f"index {position} is out of range")
        return position % n

    def _key(self, index: Any) -> str:
        """The name of the member at an index."""
        return next(itertools.islice(self._modules, self._position(index), None))

    def __delitem__(self, index: Any) -> None:
        keys = list(self._modules)[index] if isinstance(index, slice) else [self._key(index)]
        for key in keys:
            delattr(self, key)
        self._modules = {str(i): m for i, m in enumerate(self._modules.values())}

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __dir__(self) -> list[str]:
        return no_digits(super().__dir__())

    def pop(self, key: Any) -> Any:
        """Remove the member at an index and return it."""
        found = self[key]  # type: ignore[index]
        del self[key]
        return found

    def append(self, module: Any) -> Self:
        """Add a member at the end."""
        self.add_module(str(len(self)), module)
        return self

    def _insert(self, index: int, module: Any) -> None:
        for i in range(len(self._modules), index, -1):
            self._modules[str(i)] = self._modules[str(i - 1)]
        self._modules[str(index)] = module


class Sequential(_Numbered):
    """Modules that are called one after the other, each with the result of the one before.

    Args:
        args: the modules, or one ordered dict of them by name.

    >>> import ast_ad
    >>> from ast_ad import nn
    >>> net = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    >>> net
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): ReLU()
    )
    >>> net(ast_ad.ones(5, 2)).shape
    torch.Size([5, 3])
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named: Any = enumerate(args)
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            named = args[0].items()
        for name, module in named:
            self.add_module(str(name) if isinstance(name, int) else name, module)

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = module(input)
        return input

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return self._modules[self._key(index)]

    def __setitem__(self, index: int, module: Any) -> None:
        setattr(self, self._key(index), module)

    # ----- as PyTorch's lists of modules are combined
    def _check_added(self, other: Any) -> None:
        if not isinstance(other, Sequential):
            raise ValueError(
                f"add operator supports only objects of Sequential class, but {type(other)} is given."
            )

    def __add__(self, other: Any) -> Sequential:
        self._check_added(other)
        return Sequential(*self, *other)

    def __iadd__(self, other: Any) -> Self:
        self._check_added(other)
        return self.extend(list(other))

    def _check_factor(self, factor: Any) -> None:
        if not isinstance(factor, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(factor)}")
        if factor <= 0:
            raise ValueError(f"Non-positive multiplication factor {factor} for {type(self)}")

    def __mul__(self, other: Any) -> Sequential:
        self._check_factor(other)
        return Sequential(*list(self) * other)

    __rmul__ = __mul__

    def __imul__(self, other: Any) -> Self:
        self._check_factor(other)
        return self.extend(list(self) * (other - 1))

    def insert(self, index: int, module: Any) -> Self:
        """Add a member before an index."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        n = len(self)
        if not -n <= index <= n:
            raise IndexError(f"Index out of range: {index}")
        self._insert(index + n if index < 0 else index, module)
        return self

    def extend(self, sequential: Iterable[Any]) -> Self:
        """Add members at the end."""
        for module in sequential:
            self.append(module)
        return self


class ModuleList(_Numbered):
    """A list of modules, all of them registered; it can't be called.

    >>> from ast_ad import nn
    >>> nn.ModuleList([nn.ReLU(), nn.ReLU()])
    ModuleList(
      (0-1): 2 x ReLU()
    )
    """

    def __init__(self, modules: Iterable[Any] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self += modules

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self._modules.values())[index])
        return self._modules[str(self._position(index))]

    def __setitem__(self, index: int, module: Any) -> None:
        setattr(self, str(self._position(index)), module)

    def __iadd__(self, modules: Iterable[Any]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[Any]) -> ModuleList:
        return ModuleList([*self, *other])

    def insert(self, index: int, module: Any) -> None:
        """Add a member before an index."""
        self._insert(index, module)

    def extend(self, modules: Iterable[Any]) -> Self:
        """Add members at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}"
            )
        for i, module in enumerate(modules, len(self)):
            self.add_module(str(i), module)
        return self

    def __repr__(self) -> str:
        lines = []
        start = 0
        for text, equal in itertools.groupby(map(repr, self)):
            n = len(list(equal))
            title = f"({start}): " if n == 1 else f"({start}-{start + n - 1}): {n} x "
            lines.append("\n  " + indented(title + text))
            start += n
        return f"{self._get_name()}({''.join(lines)}{chr(10) if lines else ''})"


class ModuleDict(Module):
    """A dict of modules by name, all of them registered; it can't be called.

    >>> from ast_ad import nn
    >>> nn.ModuleDict({"relu": nn.ReLU()})
    ModuleDict(
      (relu): ReLU()
    )
    """

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Any) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Remove all members."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Remove the member of a name and return it."""
        found = self[key]
        del self[key]
        return found

    def keys(self) -> KeysView[str]:
        return self._modules.keys()

    def items(self) -> ItemsView[str, Any]:
        return self._modules.items()

    def values(self) -> ValuesView[Any]:
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add or replace members, given as a mapping or as pairs."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                f"{type(modules).__name__}"
            )
        named = (
            modules.items() if isinstance(modules, (Mapping, ModuleDict)) else pairs(modules, "ModuleDict")
        )
        for key, module in named:
            self[key] = module
