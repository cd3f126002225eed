"""What is a tensor? An ndarray with a history: PyTorch's Tensor on NumPy.

This module holds the state and what concerns the graph; the operations are defined in the ``methods`` modules
and attached to the class.
"""

from __future__ import annotations

import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import doors
from .checks import check_grad
from .dtypes import Size, as_numpy, dtype_of, get_default_dtype, legacy_name, scalar_name
from .handles import RemovableHandle
from .printing import tensor_text
from .saved import DetachedVersion
from .state import state
from .warn_once import warn_once

_new = object.__new__

NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute "
    "won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf "
    "Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make "
    "sure "
    "you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)
TO_SCALAR = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\nConsider "
    "using "
    "tensor.detach() first."
)
ONLY_LEAVES = (
    "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
    "subgraph that doesn't require differentiation use var_no_grad = var.detach()."
)


class Tensor:
    """An array whose operations are recorded, so that gradients can be sent back through them.

    Made by ``ast_ad.tensor``, ``ast_ad.zeros`` and the like; names, results and errors are PyTorch's.

    >>> import ast_ad
    >>> x = ast_ad.tensor([1.0, 2.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """

    _is_eager_tensor = True
    _face: Any = None
    _array: np.ndarray
    _version_counter: Any
    _requires_grad = False
    _node: Any = None
    _nr = 0
    _grad: Any = None
    _view: Any = None
    _hooks: Any = None
    _post_accumulate: Any = None
    _accumulator: Any = None
    _grad_dtype: Any = "own"
    _inference = False
    _python: Any = None  # of what passes for a number of Python's: the number
    __array_priority__ = 1000

    if TYPE_CHECKING:  # the methods that other modules attach

        def __getattr__(self, name: str) -> Any: ...

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        return doors.new_tensor(cls, args, kwargs)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "_face" not in cls.__dict__:
            cls._face = cls

    @classmethod
    def _of(cls, array: Any) -> Any:
        """A new tensor around an array, not a copy of it."""
        t = _new(cls)
        t._array = array if array.__class__ is np.ndarray else np.asarray(array)
        t._version_counter = [0]
        if state.inference:
            t._inference = True
        return t

    @classmethod
    def _of_number(cls, number: Any) -> Any:
        """A new tensor around a number of Python's."""
        return cls._of(np.asarray(number))

    # ----- the graph
    @property
    def requires_grad(self) -> bool:
        """Whether gradients are wanted for this tensor."""
        view = self._view
        return self._requires_grad or (view is not None and view.base._requires_grad)

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, (bool, np.bool_)):
            raise RuntimeError("requires_grad must be a bool")
        if self.grad_fn is not None:
            raise RuntimeError(ONLY_LEAVES if not value else ONLY_LEAVES.partition(" If you want")[0])
        if value and self._array.dtype.kind not in "fc":
            raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
        if value and self._inference and not state.inference:
            raise RuntimeError(
                "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
            )
        self._requires_grad = bool(value)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Set ``requires_grad`` and return the tensor itself."""
        if requires_grad and self._array.dtype.kind not in "fc":
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        if not requires_grad or self.grad_fn is None:
            self.requires_grad = requires_grad
        return self

    def _refresh(self) -> None:
        doors.refresh(self)

    @property
    def grad_fn(self) -> Any:
        """The node of the operation that made this tensor; None for a leaf."""
        if self._view is not None:
            self._refresh()
        return self._node

    @property
    def output_nr(self) -> int:
        return self._nr

    @property
    def is_leaf(self) -> bool:
        """Whether the tensor was made by the user, or needs no gradient."""
        return self.grad_fn is None

    @property
    def grad(self) -> Any:
        """The gradient accumulated by ``backward``, or None."""
        if self._grad is None and self._node is not None and not self._retains(self._node):
            warnings.warn(NON_LEAF_GRAD, UserWarning, stacklevel=2)
        return self._grad

    @grad.setter
    def grad(self, value: Any) -> None:
        if value is not None:
            check_grad(self, value)
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    @property
    def _version(self) -> int:
        if self._inference:
            raise RuntimeError("Inference tensors do not track version counter.")
        return int(self._version_counter[0])

    @property
    def _base(self) -> Any:
        return None if self._view is None else self._view.base

    def _is_view(self) -> bool:
        return self._view is not None

    def is_inference(self) -> bool:
        """Whether the tensor was made in inference mode."""
        return self._inference

    def detach(self) -> Any:
        """A tensor on the same memory, without history."""
        t = self._face._of(self._array)
        t._version_counter = self._version_counter
        t._inference = self._inference
        return t

    def detach_(self) -> Tensor:
        """Cut the tensor off its history."""
        if self._view is not None:
            raise RuntimeError(
                "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel "
                "(DDP) for training, and gradient_as_bucket_view is set as True, gradients are views of DDP "
                "buckets, and hence detach_() cannot be called on these gradients. To fix this error, please "
                "refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
            )
        if self._node is not None:
            version = DetachedVersion(self._version_counter[0])
            version.tensor = weakref.ref(self)
            self._version_counter[0] = version
        self._node, self._nr, self._requires_grad = None, 0, False
        return self

    @property
    def data(self) -> Any:
        """The same memory without history and with a version counter of its own: changes are not noticed."""
        t = self._face._of(self._array)
        t._inference = self._inference
        return t

    @data.setter
    def data(self, value: Any) -> None:
        if not isinstance(value, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
        if self._requires_grad and self._node is None and value._array.dtype.kind not in "fc":
            raise RuntimeError(
                "data set to a tensor that requires gradients must be floating point or complex dtype"
            )
        self._array = value._array
        if self._accumulator is not None:
            self._accumulator = None

    def backward(
        self, gradient: Any = None, retain_graph: Any = None, create_graph: bool = False, inputs: Any = None
    ) -> None:
        """Accumulate the gradients of this tensor in the leaves; see ``autograd.backward``."""
        doors.backward(self, gradient, retain_graph, create_graph, None, inputs)

    # ----- hooks
    def register_hook(self, hook: Callable[..., Any]) -> Any:
        """``hook(grad)`` is called with each gradient; a tensor that it returns replaces the gradient."""
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        node = self.grad_fn
        if node is None:
            if self._hooks is None:
                self._hooks = OrderedDict()
            return RemovableHandle.added(self._hooks, hook)
        by_output = node._hooked().tensor
        return RemovableHandle.added(by_output.setdefault(self._nr, OrderedDict()), hook)

    def register_post_accumulate_grad_hook(self, hook: Callable[..., Any]) -> Any:
        """``hook(tensor)`` is called after the ``grad`` of this leaf was added to."""
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self.grad_fn is not None:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        if self._post_accumulate is None:
            self._post_accumulate = OrderedDict()
        return RemovableHandle.added(self._post_accumulate, hook)

    def retain_grad(self) -> None:
        """Let a tensor that is no leaf keep its gradient."""
        if not self.requires_grad:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        node = self.grad_fn
        if node is not None:
            node._hooked().retain[self._nr] = weakref.ref(self)

    @property
    def retains_grad(self) -> bool:
        return self._retains(self.grad_fn)

    def _retains(self, node: Any) -> bool:
        if node is None or node._hooks is None:
            return False
        kept = node._hooks.retain.get(self._nr)
        return kept is not None and kept() is self

    # ----- shape and type
    @property
    def shape(self) -> Size:
        return Size(self._array.shape)

    @property
    def dtype(self) -> Any:
        return dtype_of(self._array.dtype)

    @property
    def ndim(self) -> int:
        return self._array.ndim

    def dim(self) -> int:
        return self._array.ndim

    ndimension = dim

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the length along ``dim``."""
        return Size(self._array.shape) if dim is None else self._array.shape[dim]

    def numel(self) -> int:
        return self._array.size

    nelement = numel

    def element_size(self) -> int:
        return self._array.itemsize

    @property
    def itemsize(self) -> int:
        return self._array.itemsize

    @property
    def nbytes(self) -> int:
        return self._array.nbytes

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The name of the class of such tensors; with ``dtype``, the tensor converted to it."""
        if dtype is None:
            return legacy_name(self._array.dtype)
        return self.to(doors.dtype_named(dtype))

    # ----- as other things
    def numpy(self, *, force: bool = False) -> np.ndarray:
        """The array itself, not a copy; of a tensor that requires grad only with ``force``."""
        if force:
            return self.detach()._array
        if state.grad and self.requires_grad:
            raise RuntimeError(
                "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
            )
        return self._array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = self.numpy()
        if dtype is not None and np.dtype(dtype) != array.dtype:
            return array.astype(dtype)
        return array.copy() if copy else array

    def item(self) -> Any:
        """The only element, as a Python number."""
        if self._array.size != 1:
            raise RuntimeError(f"a Tensor with {self._array.size} elements cannot be converted to Scalar")
        return self._array.item()

    def tolist(self) -> Any:
        return self._array.tolist()

    def _number(self) -> Any:
        if self._array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        if self.requires_grad:
            warn_once(TO_SCALAR, 3)
        return self._array.item()

    def __float__(self) -> float:
        return float(self._number())

    def __int__(self) -> int:
        return int(self._number())

    def __complex__(self) -> complex:
        return complex(self._number())

    def __index__(self) -> int:
        if self._array.dtype.kind not in "iub" or self._array.size != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self._array.item())

    def __bool__(self) -> bool:
        if self._array.size != 1:
            if self._array.size == 0:
                raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return bool(self._array.item())

    def __len__(self) -> int:
        if self._array.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return len(self._array)

    def __iter__(self) -> Iterator[Any]:
        if self._array.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __hash__(self) -> int:
        return id(self)

    def __contains__(self, element: Any) -> bool:
        return bool((self == element).any())

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        if state.dual is not None:
            primal, tangent = state.dual.unpack(self)
            if tangent is not None:
                shown = repr(tangent) if tangent._array.ndim else repr(tangent.item())
                return f"{primal!r}"[:-1] + f", tangent={shown})"
        try:
            node = self.grad_fn
            name = None if node is None else type(node).__name__
        except RuntimeError:  # a view without a history that was changed since
            name = "Invalid"
        prefix = "tensor(" if self._face is Tensor else f"{type(self).__name__}("
        return tensor_text(self._array, requires_grad=self._requires_grad, grad_fn=name, prefix=prefix)

    def __format__(self, spec: str) -> str:
        if self._array.ndim == 0:
            return format(self._array.item(), spec)
        return object.__format__(self, spec)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if self.grad_fn is not None:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at "
                "the moment.  If you were attempting to deepcopy a module, this may be because of a torch.nn."
                "utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001"
            )
        import copy

        t = type(self)._of(self._array.copy(order="K"))
        memo[id(self)] = t
        t._requires_grad = self._requires_grad
        t._grad = copy.deepcopy(self._grad, memo)
        return t

    def __reduce_ex__(self, protocol: Any) -> Any:
        if self.grad_fn is not None:
            raise RuntimeError(
                "Pickling of a tensor that is no leaf is not supported: detach() it first, or pickle the "
                "leaves"
            )
        return doors.rebuilt, (type(self), self._array, self._requires_grad)


Tensor._face = Tensor

__all__ = ["Tensor", "as_numpy", "get_default_dtype", "scalar_name"]
