"""What can users hook into a module's call? Functions before and after it, and before and after its backward.

``call`` runs a module that has hooks; modules without any go straight to ``forward``.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

from ....eager.hooks import RemovableHandle
from ....eager.tensor import Tensor

__all__ = [
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

Hook = Callable[..., Any]
REGULAR_AND_FULL = (
    "Cannot use both regular backward hooks and full backward hooks as a global Module hook. Please use only "
    "one of them."
)
ALWAYS_FAILED = (
    "module forward hook with ``always_call=True`` raised an exception that was silenced as another error "
    "was raised in forward: "
)


class GlobalHooks:
    """The hooks of all modules. ``active``: there may be some that a call runs."""

    def __init__(self) -> None:
        self.active = False
        self.forward_pre: OrderedDict[int, Hook] = OrderedDict()
        self.forward: OrderedDict[int, Hook] = OrderedDict()
        self.forward_with_kwargs: OrderedDict[int, bool] = OrderedDict()
        self.forward_always: OrderedDict[int, bool] = OrderedDict()
        self.backward_pre: OrderedDict[int, Hook] = OrderedDict()
        self.backward: OrderedDict[int, Hook] = OrderedDict()
        self.backward_is_full: bool | None = None
        self.parameters: OrderedDict[int, Hook] = OrderedDict()
        self.buffers: OrderedDict[int, Hook] = OrderedDict()
        self.modules: OrderedDict[int, Hook] = OrderedDict()

    def add(
        self, hooks: OrderedDict[int, Hook], hook: Hook, *marks: OrderedDict[int, bool]
    ) -> RemovableHandle:
        """Register a hook that calls run."""
        self.active = True
        return handle_of(hooks, hook, False, *marks)

    def check(self) -> None:
        """Find out whether there still are hooks that calls run."""
        self.active = bool(self.forward_pre or self.forward or self.backward_pre or self.backward)


everywhere = GlobalHooks()


def registered(hooks: OrderedDict[int, Hook], module: Any, name: str, value: Any) -> Any:
    """What the global registration hooks make of a value."""
    for hook in hooks.values():
        found = hook(module, name, value)
        if found is not None:
            value = found
    return value


def handle_of(
    hooks: OrderedDict[int, Any], hook: Hook, prepend: bool = False, *marks: OrderedDict[int, bool]
) -> RemovableHandle:
    """Add a hook at the end or in front, and to the sets ``marks``; the handle removes it from all."""
    handle = Handle(hooks, marks)
    hooks[handle.id] = hook
    for mark in marks:
        mark[handle.id] = True
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


class Handle(RemovableHandle):
    """The handle of a hook that is kept in several dicts."""

    def __init__(self, hooks: Any, marks: Any = ()) -> None:
        super().__init__(hooks)
        self.marks = tuple(RemovableHandle(mark).hooks_dict_ref for mark in marks)

    def __getstate__(self) -> Any:
        return super().__getstate__(), [ref() for ref in self.marks]

    def __setstate__(self, state: Any) -> None:
        own, marks = state
        super().__setstate__(own)
        self.marks = tuple(RemovableHandle(mark).hooks_dict_ref for mark in marks if mark is not None)

    def remove(self) -> None:
        super().remove()
        for ref in self.marks:
            mark = ref()
            if mark is not None:
                mark.pop(self.id, None)


# ----- a call with hooks


def call(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``module(*args, **kwargs)`` with all its hooks."""
    run = Call(module, args, kwargs)
    if everywhere.active:
        everywhere.check()
    try:
        return run.outcome()
    except Exception:
        run.after_failure()
        raise


class Call:
    """One call of a module with hooks: its arguments and its result as the hooks leave them."""

    def __init__(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.module, self.args, self.kwargs = module, args, kwargs
        self.result: Any = None
        self.called: set[int] = set()

    def outcome(self) -> Any:
        from .backward_hooks import BackwardHooks, register_regular

        module = self.module
        pre = [*everywhere.backward_pre.values(), *module._backward_pre_hooks.values()]
        full, regular = _backward_hooks(module)
        self._before()
        hooks = BackwardHooks(module, full, pre) if full or pre else None
        if hooks is not None:
            self.args = hooks.enter(self.args)
        self.result = module.forward(*self.args, **self.kwargs)
        for id_, hook in self._forward_hooks():
            self.called.add(id_)
            self._run(id_, hook)
        if hooks is not None:
            if not isinstance(self.result, (Tensor, tuple)):
                text = (
                    "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors"
                )
                warnings.warn(f"{text} but received {type(self.result)}", stacklevel=4)
            self.result = hooks.leave(self.result)
        if regular:
            register_regular(module, regular, self.args, self.result)
        return self.result

    def _before(self) -> None:
        module = self.module
        with_kwargs = module._forward_pre_hooks_with_kwargs
        for id_, hook in (*everywhere.forward_pre.items(), *module._forward_pre_hooks.items()):
            if id_ not in with_kwargs:
                found = hook(module, self.args)
                if found is not None:
                    self.args = found if isinstance(found, tuple) else (found,)
                continue
            found = hook(module, self.args, self.kwargs)
            if found is None:
                continue
            if not isinstance(found, tuple) or len(found) != 2:
                raise RuntimeError(
                    "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got "
                    f"{found}."
                )
            self.args, self.kwargs = found

    def _forward_hooks(self) -> Iterator[tuple[int, Hook]]:
        yield from [*everywhere.forward.items(), *self.module._forward_hooks.items()]

    def _run(self, id_: int, hook: Hook) -> None:
        if id_ in self.module._forward_hooks_with_kwargs or id_ in everywhere.forward_with_kwargs:
            found = hook(self.module, self.args, self.kwargs, self.result)
        else:
            found = hook(self.module, self.args, self.result)
        if found is not None:
            self.result = found

    def after_failure(self) -> None:
        """Run the hooks that are always called and were not yet."""
        always = self.module._forward_hooks_always_called
        for id_, hook in self._forward_hooks():
            is_global = id_ in everywhere.forward_always
            if id_ in self.called or not (is_global or id_ in always):
                continue
            try:
                self._run(id_, hook)
            except Exception as error:
                warnings.warn(f"{'global ' * is_global}{ALWAYS_FAILED}{error}", stacklevel=4)


def _backward_hooks(module: Any) -> tuple[list[Hook], list[Hook]]:
    """The full and the regular backward hooks of a module, those of all modules first."""
    full: list[Hook] = []
    regular: list[Hook] = []
    (full if everywhere.backward_is_full else regular).extend(everywhere.backward.values())
    (full if module._is_full_backward_hook else regular).extend(module._backward_hooks.values())
    return full, regular


# ----- hooks of all modules


def register_module_forward_pre_hook(hook: Hook) -> RemovableHandle:
    """``hook(module, args)`` runs before every module's ``forward``; a result replaces the arguments."""
    return everywhere.add(everywhere.forward_pre, hook)


def register_module_forward_hook(
    hook: Hook, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """``hook(module, args, output)`` runs after every module's ``forward``; a result replaces the output."""
    marks = [everywhere.forward_with_kwargs] * with_kwargs + [everywhere.forward_always] * always_call
    return everywhere.add(everywhere.forward, hook, *marks)


def register_module_full_backward_pre_hook(hook: Hook) -> RemovableHandle:
    """``hook(module, grad_output)`` runs before every module's backward."""
    return everywhere.add(everywhere.backward_pre, hook)


def register_module_full_backward_hook(hook: Hook) -> RemovableHandle:
    """``hook(module, grad_input, grad_output)`` runs after every module's backward."""
    if everywhere.backward_is_full is False:
        raise RuntimeError(REGULAR_AND_FULL)
    everywhere.backward_is_full = True
    return everywhere.add(everywhere.backward, hook)


def register_module_backward_hook(hook: Hook) -> RemovableHandle:
    """The older kind of backward hook, on the node of every module's output."""
    if everywhere.backward_is_full is True:
        raise RuntimeError(REGULAR_AND_FULL)
    everywhere.backward_is_full = False
    return everywhere.add(everywhere.backward, hook)


def register_module_parameter_registration_hook(hook: Hook) -> RemovableHandle:
    """``hook(module, name, param)`` runs when a parameter is registered; a result replaces it."""
    return handle_of(everywhere.parameters, hook)


def register_module_buffer_registration_hook(hook: Hook) -> RemovableHandle:
    """``hook(module, name, buffer)`` runs when a buffer is registered; a result replaces it."""
    return handle_of(everywhere.buffers, hook)


def register_module_module_registration_hook(hook: Hook) -> RemovableHandle:
    """``hook(module, name, submodule)`` runs when a submodule is registered; a result replaces it."""
    return handle_of(everywhere.modules, hook)
