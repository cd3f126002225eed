"""How do a module's hooks see the gradients that enter and leave its backward?

Its inputs and its outputs pass through an identity with a node of its own (``BackwardHookFunction``), where
the gradients with respect to all of them come together.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from ....eager.state import state
from ....eager.tensor import Tensor
from ...autograd.function import Function

__all__: list[str] = []

Hook = Callable[..., Any]
NO_INPUT = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs "
    "require gradients. See "
    "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook"
    " for more details."
)


class BackwardHookFunction(Function):
    """The identity on several tensors."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        ctx.mark_non_differentiable(*[a for a in args if not a.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *args: Any) -> Any:
        return args


class BackwardHooks:
    """The backward hooks of one call of a module."""

    def __init__(self, module: Any, hooks: Sequence[Hook], pre_hooks: Sequence[Hook]) -> None:
        self.module, self.hooks, self.pre_hooks = module, hooks, pre_hooks
        self.grad_outputs: Any = None
        self.inputs: list[int] | None = None  # which arguments are tensors with a gradient on their way
        self.n_inputs = self.n_outputs = -1
        self.outputs: list[int] | None = None

    def enter(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments of ``forward``, behind a node that runs the hooks once the module's backward has."""
        args, self.inputs = self._joined(args, self._after)
        self.n_inputs = len(args)
        return args

    def leave(self, result: Any) -> Any:
        """The result of ``forward``, behind a node that notes the gradients with respect to it."""
        found = result if isinstance(result, tuple) else (result,)
        found, self.outputs = self._joined(found, self._before)
        self.n_outputs = len(found)
        return found if isinstance(result, tuple) else found[0]

    def _joined(self, args: tuple[Any, ...], hook: Hook) -> tuple[tuple[Any, ...], list[int] | None]:
        places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        if not (state.grad and any(args[i].requires_grad for i in places)):
            return args, None
        found = BackwardHookFunction.apply(*[args[i] for i in places])
        nodes = [t.grad_fn for t in found if t.grad_fn is not None]
        if not nodes:
            raise RuntimeError(
                "Error while setting up backward hooks. Please open an issue with a code sample."
            )
        nodes[0].register_hook(hook)
        changed = list(args)
        for i, t in zip(places, found, strict=True):
            changed[i] = t
        return (*changed,) if type(args) is tuple else type(args)(*changed), places

    def _before(self, _: Any, grad_output: tuple[Any, ...]) -> Any:
        """The gradients of the outputs arrive: the module's backward begins."""
        assert self.outputs is not None
        grads: tuple[Any, ...] = _spread(self.outputs, grad_output, self.n_outputs)
        for hook in self.pre_hooks:
            found = hook(self.module, grads)
            if found is None:
                continue
            found = found if isinstance(found, tuple) else (found,)
            if len(found) != len(grads):
                raise RuntimeError(
                    f"Backward pre hook returned an invalid number of grad_output, got {len(found)}, but "
                    f"expected {len(grads)}"
                )
            grads = found
        self.grad_outputs = grads
        if self.inputs is None:
            self._without_inputs()
        return tuple([grads[i] for i in self.outputs])

    def _without_inputs(self) -> None:
        warnings.warn(NO_INPUT, stacklevel=5)
        for hook in self.hooks:
            found = hook(self.module, (None,) * self.n_inputs, self.grad_outputs)
            if found is not None and not (isinstance(found, tuple) and all(g is None for g in found)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None or "
                    "None for all gradients."
                )
        self.grad_outputs = None

    def _after(self, grad_input: tuple[Any, ...], _: Any) -> Any:
        """The gradients of the inputs are known: the hooks run."""
        if self.grad_outputs is None:  # the gradient did not come through the outputs
            return None
        assert self.inputs is not None
        grads = _spread(self.inputs, grad_input, self.n_inputs)
        for hook in self.hooks:
            found = hook(self.module, grads, self.grad_outputs)
            if found is None:
                continue
            found = found if isinstance(found, tuple) else (found,)
            if len(found) != len(grads):
                raise RuntimeError(
                    f"Backward hook returned an invalid number of grad_input, got {len(found)}, but expected "
                    f"{len(grads)}"
                )
            grads = found
        self.grad_outputs = None
        return tuple([grads[i] for i in self.inputs])


def _spread(places: list[int], values: Sequence[Any], n: int) -> tuple[Any, ...]:
    """``values`` at their places among ``n``, None elsewhere."""
    found: list[Any] = [None] * n
    for i, value in zip(places, values, strict=True):
        found[i] = value
    return tuple(found)


MISSING = (
    "{} is deprecated and will be removed in future versions. This hook will be missing some {}. Please use "
    "register_full_backward_hook to get the documented behavior."
)


def _shortcoming(args: tuple[Any, ...], result: Any, node: Any) -> str:
    """What hooks of the older kind don't see in this call."""
    results = (result,) if isinstance(result, Tensor) else result
    of_module = (
        "Using non-full backward hooks on a Module that does not {} a single Tensor or a tuple of Tensors"
    )
    if not isinstance(results, tuple) or not all(isinstance(r, Tensor) for r in results):
        return MISSING.format(of_module.format("return"), "of the grad_output")
    if not all(isinstance(a, Tensor) for a in args):
        return MISSING.format(of_module.format("take as input"), "of the grad_input")
    of_hook = "Using a non-full backward hook when "
    if len({r.grad_fn for r in results if r.grad_fn is not None}) > 1:
        return MISSING.format(of_hook + "outputs are generated by different autograd Nodes", "grad_output")
    if {a.grad_fn for a in args if a.grad_fn is not None} != {after for after, _ in node.next_functions}:
        return MISSING.format(of_hook + "the forward contains multiple autograd Nodes", "grad_input")
    return ""


def register_regular(module: Any, hooks: Sequence[Hook], args: tuple[Any, ...], result: Any) -> None:
    """Put hooks of the older kind on the node of the first tensor of a result."""
    whole = result
    while not isinstance(result, Tensor):
        result = (
            next(v for v in result.values() if isinstance(v, Tensor))
            if isinstance(result, dict)
            else result[0]
        )
    node = result.grad_fn
    if node is not None:
        text = _shortcoming(args, whole, node)
        if text:
            warnings.warn(text, FutureWarning, stacklevel=5)
        for hook in hooks:
            node.register_hook(
                lambda grad_input, grad_output, hook=hook: hook(module, grad_input, grad_output)
            )
