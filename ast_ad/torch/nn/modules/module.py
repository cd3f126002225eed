"""What is a module? Parameters, buffers and other modules under names, and a ``forward`` that uses them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Self

from ....eager.hooks import RemovableHandle
from ....eager.tensor import Tensor
from ..parameter import Buffer, Parameter
from .hooks import *  # noqa: F403 - PyTorch has them here
from .hooks import call, everywhere, handle_of, registered
from .module_conversion import Conversion
from .module_members import Members
from .module_state import Stateful
from .registration import check_buffer, check_name, check_parameter, typename

__all__ = ["Module"]

Hook = Callable[..., Any]
REGULAR_AND_FULL = (
    "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one "
    "of them."
)


class Module(Members, Conversion, Stateful):
    """The base class of all networks and of their parts.

    Parameters, modules and buffers that are assigned to attributes are registered under the attribute's name.
    A subclass calls ``super().__init__()`` first and defines ``forward``; calling a module runs ``forward``
    and the hooks.

    >>> import ast_ad
    >>> class Scale(ast_ad.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = ast_ad.nn.Parameter(ast_ad.tensor(2.0))
    ...     def forward(self, x):
    ...         return self.factor * x
    >>> Scale()(ast_ad.tensor([1.0, 2.0]))
    tensor([2., 4.], grad_fn=<MulBackward0>)
    """

    dump_patches = False
    training: bool
    _is_full_backward_hook: bool | None
    call_super_init = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init:
            name = type(self).__name__
            if kwargs:
                raise TypeError(
                    f"{name}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
                )
            if args:
                raise TypeError(
                    f"{name}.__init__() takes 1 positional argument but {len(args) + 1} were given"
                )
        self.__dict__.update(
            training=True,
            _parameters={},
            _buffers={},
            _non_persistent_buffers_set=set(),
            _is_full_backward_hook=None,
            _modules={},
            **{name: OrderedDict() for name in _HOOKS},
        )
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def forward(self, *input: Any) -> Any:
        """What the module computes; every subclass defines it."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if (
            self._forward_hooks
            or self._forward_pre_hooks
            or self._backward_hooks
            or self._backward_pre_hooks
            or everywhere.active
        ):
            return call(self, args, kwargs)
        return self.forward(*args, **kwargs)

    # ----- registration
    def register_parameter(self, name: str, param: Any) -> None:
        """Add a parameter, or None as a place for one.

        Raises:
            KeyError: the name is empty, has a dot, or is that of another attribute.
            TypeError: no parameter.
            ValueError: no leaf.
        """
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        check_name("parameter", self, name, self._parameters)
        if param is not None:
            check_parameter(name, param)
            param = registered(everywhere.parameters, self, name, param)
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Add a tensor that is not trained, or None as a place for one.

        ``persistent``: whether it is part of the ``state_dict``.
        """
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        check_name("buffer", self, name, self._buffers)
        check_buffer(name, tensor)
        self._buffers[name] = registered(everywhere.buffers, self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Any) -> None:
        """Add a submodule, or None as a place for one."""
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{typename(module)} is not a Module subclass")
        check_name("module", self, name, self._modules)
        self._modules[name] = registered(everywhere.modules, self, name, module)

    def register_module(self, name: str, module: Any) -> None:
        """Another name of ``add_module``."""
        self.add_module(name, module)

    # ----- attributes
    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for members in ("_parameters", "_buffers", "_modules"):
            if members in own and name in own[members]:
                return own[members][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        params = own.get("_parameters")
        if isinstance(value, Parameter):
            if params is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._remove_from(name, own, self._buffers, self._modules, self._non_persistent_buffers_set)
            self.register_parameter(name, value)
        elif params is not None and name in params:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as parameter '{name}' (torch.nn.Parameter or None "
                    "expected)"
                )
            self.register_parameter(name, value)
        elif isinstance(value, Module) or name in own.get("_modules", ()):
            self._set_module(name, value)
        elif name in own.get("_buffers", ()) or isinstance(value, Buffer):
            self._set_buffer(name, value)
        else:
            super().__setattr__(name, value)

    def _set_module(self, name: str, value: Any) -> None:
        if "_modules" not in self.__dict__:
            raise AttributeError("cannot assign module before Module.__init__() call")
        if isinstance(value, Module):
            own = (self.__dict__, self._parameters, self._buffers, self._non_persistent_buffers_set)
            self._remove_from(name, *own)
        elif value is not None:
            raise TypeError(
                f"cannot assign '{typename(value)}' as child module '{name}' "
                "(torch.nn.Module or None expected)"
            )
        self._modules[name] = registered(everywhere.modules, self, name, value)

    def _set_buffer(self, name: str, value: Any) -> None:
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(
                f"cannot assign '{typename(value)}' as buffer '{name}' (torch.nn.Buffer, torch.Tensor or "
                "None expected)"
            )
        persistent = name not in self.__dict__.get("_non_persistent_buffers_set", ())
        self.register_buffer(name, value, getattr(value, "persistent", persistent))

    @staticmethod
    def _remove_from(name: str, *places: Any) -> None:
        for place in places:
            if name in place:
                place.discard(name) if isinstance(place, set) else place.pop(name)

    def __delattr__(self, name: str) -> None:
        for members in (self._parameters, self._buffers, self._modules):
            if name in members:
                del members[name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        members = (self._parameters, self._modules, self._buffers)
        names = [*dir(type(self)), *self.__dict__, *(name for place in members for name in place)]
        return sorted(name for name in names if not name[:1].isdigit())

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__dict__.setdefault("_non_persistent_buffers_set", set())
        self.__dict__.setdefault("_is_full_backward_hook", None)
        for name in _HOOKS:
            self.__dict__.setdefault(name, OrderedDict())

    # ----- modes
    def train(self, mode: bool = True) -> Self:
        """Switch the module and its submodules to training (or evaluation) mode.

        Raises:
            ValueError: ``mode`` is no boolean.
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Switch the module and its submodules to evaluation mode."""
        return self.train(False)

    # ----- hooks
    def register_forward_pre_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """``hook(module, args)`` runs before ``forward``; what it returns replaces the arguments.

        ``with_kwargs``: it is ``hook(module, args, kwargs)`` and returns both. ``prepend``: it runs before
        the others.
        """
        marks = [self._forward_pre_hooks_with_kwargs] * with_kwargs
        return handle_of(self._forward_pre_hooks, hook, prepend, *marks)

    def register_forward_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """``hook(module, args, output)`` runs after ``forward``; what it returns replaces the output.

        ``with_kwargs``: it is ``hook(module, args, kwargs, output)``. ``always_call``: it runs although
        ``forward`` raised an exception. ``prepend``: it runs before the others.
        """
        marks = [self._forward_hooks_with_kwargs] * with_kwargs
        marks += [self._forward_hooks_always_called] * always_call
        return handle_of(self._forward_hooks, hook, prepend, *marks)

    def register_full_backward_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """``hook(module, grad_output)`` runs when the gradients of the output are known.

        What it returns replaces them.
        """
        return handle_of(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """``hook(module, grad_input, grad_output)`` runs when the gradients of the inputs are known.

        What it returns replaces ``grad_input``.
        """
        if self._is_full_backward_hook is False:
            raise RuntimeError(REGULAR_AND_FULL)
        self._is_full_backward_hook = True
        return handle_of(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook: Hook) -> RemovableHandle:
        """The older kind of backward hook, on the node of the output only."""
        if self._is_full_backward_hook is True:
            raise RuntimeError(REGULAR_AND_FULL)
        self._is_full_backward_hook = False
        return handle_of(self._backward_hooks, hook)

    # ----- as text
    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What ``repr`` shows beside the submodules; one line or several."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        extra_lines = extra.split("\n") if extra else []
        children = [f"({name}): {indented(repr(m))}" for name, m in self._modules.items()]
        if len(extra_lines) == 1 and not children:
            return f"{self._get_name()}({extra})"
        lines = "".join(f"\n  {line}" for line in (*extra_lines, *children))
        return f"{self._get_name()}({lines}{chr(10) if lines else ''})"


def indented(text: str, spaces: int = 2) -> str:
    """A text with all lines but the first moved to the right."""
    return text.replace("\n", "\n" + " " * spaces)


_HOOKS = (
    "_backward_pre_hooks",
    "_backward_hooks",
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)
