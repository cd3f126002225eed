"""How are a module's parts found? Iterators over parameters, buffers and submodules, and look-up by path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ....eager.tensor import Tensor
from ..parameter import Parameter

__all__: list[str] = []

Named = Iterator[tuple[str, Any]]


class Members:
    """What of a module concerns its parts: methods of ``Module``."""

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]

    # ----- iteration
    def _named_members(
        self,
        get_members_fn: Callable[[Any], Iterable[tuple[str, Any]]],
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Named:
        """The named values that ``get_members_fn`` finds in the modules, each once."""
        seen = set()
        modules: Any = [(prefix, self)]
        if recurse:
            modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        for path, module in modules:
            for name, value in get_members_fn(module):
                if value is None or value in seen:
                    continue
                if remove_duplicate:
                    seen.add(value)
                yield f"{path}.{name}" if path else name, value

    def parameters(self, recurse: bool = True) -> Iterator[Any]:
        """The parameters, each once; with ``recurse`` also those of submodules."""
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Named:
        """Pairs of a parameter's name and the parameter.

        >>> import ast_ad
        >>> [name for name, _ in ast_ad.nn.Linear(2, 3).named_parameters()]
        ['weight', 'bias']
        """
        yield from self._named_members(lambda m: m._parameters.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Any]:
        """The buffers, each once; with ``recurse`` also those of submodules."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_buffers(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Named:
        """Pairs of a buffer's name and the buffer."""
        yield from self._named_members(lambda m: m._buffers.items(), prefix, recurse, remove_duplicate)

    def children(self) -> Iterator[Any]:
        """The immediate submodules, each once."""
        for _, module in self.named_children():
            yield module

    def named_children(self) -> Named:
        """Pairs of a name and an immediate submodule."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def modules(self, remove_duplicate: bool = True) -> Iterator[Any]:
        """The module and all its submodules, each once unless ``remove_duplicate`` is off."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_modules(self, memo: Any = None, prefix: str = "", remove_duplicate: bool = True) -> Named:
        """Pairs of a path and a module, the module itself (with path ``prefix``) first."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                path = f"{prefix}.{name}" if prefix else name
                yield from module.named_modules(memo, path, remove_duplicate)

    # ----- look-up
    def get_submodule(self, target: str) -> Any:
        """The submodule at a path such as ``"encoder.0"``; the module itself for the empty path.

        Raises:
            AttributeError: there is none.
        """
        module: Any = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Members):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def set_submodule(self, target: str, module: Any, strict: bool = False) -> None:
        """Put ``module`` at a path; with ``strict`` only where there is a module already."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        path, _, name = target.rpartition(".")
        if not isinstance(module, Members):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Members):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def _found(self, target: str) -> tuple[Any, str, Any]:
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        return module, name, getattr(module, name)

    def get_parameter(self, target: str) -> Any:
        """The parameter at a path.

        Raises:
            AttributeError: there is none, or it is no parameter.
        """
        _, name, param = self._found(target)
        if not isinstance(param, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return param

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a path.

        Raises:
            AttributeError: there is none, or it is no buffer.
        """
        module, name, buffer = self._found(target)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return buffer  # type: ignore[no-any-return]
