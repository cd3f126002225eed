"""How does a user define an operation with a backward of its own? ``Function``."""

from __future__ import annotations

import inspect
import itertools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...eager.checks import type_name
from ...eager.node import Node
from ...eager.saved import FREED, SavedVariable
from ...eager.state import state, watch
from ...eager.tensor import Tensor
from .once import once_differentiable
from .wrapping import run_forward

__all__ = [
    "BackwardCFunction",
    "Function",
    "FunctionCtx",
    "FunctionMeta",
    "InplaceFunction",
    "NestedIOFunction",
    "once_differentiable",
]

_identifiers = itertools.count()
ACCESSED = (
    "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on the "
    "autograd.Function. Either access saved_tensors only once, or set clear_saved_tensors_on_access=False."
)
NO_BACKWARD = (
    "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
    "backward mode AD."
)
MIXED_COMPLEX = (
    "Expected isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex) to be true, but "
    "got false.  (Could this error message be improved?  If so, please report an enhancement request to "
    "PyTorch.)"
)


class FunctionCtx:
    """What ``forward`` leaves for ``backward``: saved tensors, and any attributes."""

    to_save: Any = None
    saved_for_forward: Any = None
    dirty_tensors: Any = None
    non_differentiable: Any = None
    _materializes = True
    _is_pure_view = False

    def save_for_backward(self, *tensors: Any) -> None:
        """Save tensors (or None) for ``saved_tensors`` in ``backward``; a second call replaces the first."""
        self.to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Save tensors for the ``jvp`` method."""
        for t in tensors:
            if t is not None and not isinstance(t, Tensor):
                raise AssertionError(
                    "save_for_forward expects all arguments to be tensors; you should save non-tensors as "
                    "attributes on ctx."
                )
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Any) -> None:
        """Say which inputs ``forward`` has changed in place; they must be among its outputs."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Any) -> None:
        """Say which outputs have no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether ``backward`` gets zeros, rather than None, for outputs without a gradient."""
        self._materializes = bool(value)

    def mark_shared_storage(self, *pairs: Any) -> None:
        warnings.warn(
            "function 'mark_shared_storage' is deprecated. Tensors with shared storages are automatically "
            "tracked. Note that calls to `set_()` are not tracked",
            FutureWarning,
            stacklevel=2,
        )


class BackwardCFunction(FunctionCtx, Node):
    """The node of a call of a ``Function``, and at the same time its context ``ctx``."""

    _forward_cls: Any
    needs_input_grad: tuple[bool, ...] = ()
    requires_grad = True
    _saved_list: tuple[SavedVariable, ...] = ()
    _is_freed = False
    _is_accessed = False
    _tensor_places: tuple[bool, ...] = ()
    _takes_none = True
    _materialize_non_diff_grads = True
    _constant_outputs: Sequence[int] = ()

    def __call__(self, *grads: Any) -> Any:
        raise TypeError(f"'{type(self).__name__}' object is not callable")

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{type(self).__name__} object at {hex(id(self))}>"

    __str__ = __repr__

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors of ``save_for_backward``, checked not to have been changed since.

        Raises:
            RuntimeError: they were freed by a backward pass, or changed in place.
        """
        if self._is_accessed:
            raise RuntimeError(ACCESSED)
        if self._is_freed:
            raise RuntimeError(FREED)
        found = tuple([s.unpack() for s in self._saved_list])
        if self._forward_cls.clear_saved_tensors_on_access:
            self._release()
            self._is_accessed = True
        return found

    @property
    def saved_variables(self) -> tuple[Any, ...]:
        warnings.warn(
            "'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2
        )
        return self.saved_tensors

    @property
    def _raw_saved_tensors(self) -> tuple[SavedVariable, ...]:
        if self._is_freed:
            raise RuntimeError(FREED)
        return self._saved_list

    def maybe_clear_saved_tensors(self) -> None:
        """Forget what was saved, before the backward pass does."""
        self._release()

    def _release(self) -> None:
        for saved in self._saved_list:
            saved.release()
        self._is_freed = True

    def _save(self) -> None:
        """Take over what ``save_for_backward`` was given, once the outputs have their history."""
        saved: list[SavedVariable] = []
        changed = [id(t) for t in self.dirty_tensors or ()]
        given, self.to_save = self.to_save or (), None
        for i, t in enumerate(given):
            if t is not None and not isinstance(t, Tensor):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument {i} is of type {type_name(t)}"
                )
            through_base = t is not None and id(t) in changed and t._view is not None
            saved.append(SavedVariable(t, self, 0 if through_base else None))
        self._saved_list = tuple(saved)

    # ----- backward
    def _user_function(self) -> Callable[..., Any]:
        backward, vjp = self._forward_cls.backward, self._forward_cls.vjp
        if vjp is Function.vjp:
            return backward
        if backward is not Function.backward:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should "
                "only implement one of them."
            )
        return vjp

    def apply(self, *args: Any) -> Any:
        """What the user's ``backward`` returns for gradients of the outputs."""
        if self._forward_cls.boxed_grads_call:
            return self._user_function()(self, list(args))
        return self._user_function()(self, *args)

    def apply_jvp(self, *args: Any) -> Any:
        """What the user's ``jvp`` returns for tangents of the inputs."""
        return self._forward_cls.jvp(self, *args)

    def _backward(self, g: Any, graph: bool) -> Sequence[Any]:
        given = [g] if self._outputs == 1 else g
        meta = [self._meta] if self._outputs == 1 else self._meta
        if not self._materialize_non_diff_grads:
            meta = [None if nr in self._constant_outputs else m for nr, m in enumerate(meta)]
        outer, state.node = state.node, self
        try:
            found = self.apply(*[self._argument(part, m, graph) for part, m in zip(given, meta, strict=True)])
        finally:
            state.node = outer
        grads = self._per_tensor(found if isinstance(found, tuple) else (found,))
        out = []
        if watch.anomaly or self._hooks is not None:
            dead = (i for i, (target, _) in enumerate(self._edges) if target is None)
            self._dropped = {i: grads[i] for i in dead if grads[i] is not None}
        for i, (t, (target, nr)) in enumerate(zip(grads, self._edges, strict=True)):
            if target is not None:
                expected = target._meta if target._outputs == 1 else target._meta[nr]
                out.append(self._checked(t, expected, i, graph))
        return out

    def _argument(self, part: Any, meta: Any, graph: bool) -> Any:
        if part is not None:
            return part if graph else Tensor._of(part)
        if meta is None or not self._materializes:
            return None
        shape, dtype = meta
        return Tensor._of(np.zeros(shape, dtype))

    def _per_tensor(self, found: tuple[Any, ...]) -> list[Any]:
        """What ``backward`` returned for the tensors among the arguments of ``forward``."""
        name, n = type(self).__name__, len(self._tensor_places)
        if len(found) > n and all(item is None for item in found[n:]):
            found = found[:n]
        if len(found) != n:
            raise RuntimeError(
                f"function {name} returned an incorrect number of gradients (expected {n}, got {len(found)})"
            )
        grads = []
        for i, (item, is_tensor) in enumerate(zip(found, self._tensor_places, strict=True)):
            if is_tensor:
                if item is not None and not isinstance(item, Tensor):
                    raise RuntimeError(f"expected Variable or None (got {_type_name(item)})")
                grads.append(item)
            elif item is not None:
                raise RuntimeError(
                    f"function {name} returned a gradient different than None at position {i + 1}, but the "
                    "corresponding forward input was not a Variable"
                )
        return grads

    def _checked(self, t: Any, meta: Any, i: int, graph: bool) -> Any:
        """A gradient that fits its input, or can be summed and cast to fit."""
        if t is None:
            return None
        shape, dtype = meta
        a = t._array
        if a.shape != shape and not _expands(shape, a.shape):
            raise RuntimeError(
                f"Function {type(self).__name__} returned an invalid gradient at index {i} - got "
                f"{list(a.shape)} but expected shape compatible with {list(shape)}"
            )
        if dtype is not None and a.dtype.kind == "c" and dtype.kind != "c":
            raise RuntimeError(MIXED_COMPLEX)
        return t if graph else a


def _expands(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Whether arrays of ``shape`` broadcast to the shape ``to``."""
    if len(shape) > len(to):
        return False
    return all(n in (1, m) for n, m in zip(reversed(shape), reversed(to), strict=False))


def _type_name(item: Any) -> str:
    kind = type(item)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


class FunctionMeta(type):
    """Gives each Function the class of its nodes, ``<Name>Backward``."""

    _backward_cls: type[BackwardCFunction]

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        attributes = {
            "_forward_cls": cls,
            "__module__": "torch.autograd.function",
            "_autograd_function_id": next(_identifiers),
        }
        cls._backward_cls = type(name + "Backward", (BackwardCFunction,), attributes)
        super().__init__(name, bases, namespace)


class Function(FunctionCtx, metaclass=FunctionMeta):
    """An operation whose backward is the user's: a class with static methods, used by its ``apply``.

    ``forward(ctx, *args)`` computes the outputs, with nothing recorded, and leaves in ``ctx`` what
    ``backward(ctx, *grads)`` needs, which returns a gradient (or None) per argument of ``forward``. Or else
    ``forward(*args)`` only computes, and ``setup_context(ctx, inputs, output)`` fills ``ctx``.

    >>> import ast_ad
    >>> class Square(Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         (x,) = ctx.saved_tensors
    ...         return 2 * x * g
    >>> x = ast_ad.tensor([1.0, 3.0], requires_grad=True)
    >>> Square.apply(x)
    tensor([1., 9.], grad_fn=<SquareBackward>)
    >>> Square.apply(x).backward(ast_ad.ones(2))
    >>> x.grad
    tensor([2., 6.])
    """

    generate_vmap_rule = False
    clear_saved_tensors_on_access = False
    boxed_grads_call = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"{self.__class__} should not be instantiated. Methods on autograd functions are all static, so "
            "you should invoke them on the class itself. Instantiating an autograd function will raise an "
            "error in a future version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style "
            "autograd function with static forward method. (Example: https://pytorch.org/docs/stable/"
            "autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs; to be defined by the subclass."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Fill ``ctx``, where ``forward`` does not take it."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradients of the arguments of ``forward``; to be defined by the subclass."""
        raise NotImplementedError(NO_BACKWARD)

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """The tangents of the outputs; may be defined by the subclass."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """May be defined by the subclass; it is not used."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set "
            "generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run ``forward`` and record the call as one node.

        Raises:
            RuntimeError: ``mark_dirty`` of what is no output, or of a leaf that requires grad.
            TypeError: ``save_for_backward`` of what is no tensor.
        """
        if cls.setup_context is Function.setup_context:
            return run_forward(cls, args, lambda ctx: cls.forward(ctx, *args, **kwargs))
        bound = inspect.signature(cls.forward).bind(*args, **kwargs)
        bound.apply_defaults()

        def forward_then_setup(ctx: Any) -> Any:
            output = cls.forward(*bound.args, **bound.kwargs)
            cls.setup_context(ctx, bound.args, output)
            return output

        return run_forward(cls, bound.args, forward_then_setup)


class InplaceFunction(Function):
    """A Function with the flag ``inplace``, as older programs use it."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class NestedIOFunction(Function):
    """The base class of functions of nested containers of tensors, which was never in general use."""
