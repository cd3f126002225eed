"""How does an optimiser train arrays in dicts? It holds a tensor on the memory of each of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...eager.tensor import Tensor
from ...trees import LEAF, STATIC, TreeDef, flatten


def leaves_like(tree: TreeDef, value: Any, path: str) -> list[Any]:
    """What stands in ``value`` in the places of the leaves of ``tree``; None for all below a None.

    Args:
        tree: the structure of the parameters.
        value: gradients in the same containers; None where a parameter has none.
        path: what to call the value in errors.

    Raises:
        ValueError: another structure.
    """
    if tree.type is LEAF:
        return [value]
    if tree.type is STATIC:
        return []
    if value is None:
        return [None] * tree.num_leaves
    kind = list if tree.type in (tuple, list) else tree.type
    kind = dict if issubclass(kind, dict) and tree.static is None else kind
    if not isinstance(value, (tuple, list) if kind is list else kind):
        raise ValueError(
            f"{path} is a {type(value).__name__} where the parameters have a {tree.type.__name__}"
        )
    if tree.static is not None:
        parts = zip(tree.children, tree.opened(value), strict=True)
        return [leaf for n, one in enumerate(parts) for leaf in leaves_like(*one, f"{path}[{n}]")]
    if kind in (dict, list):
        present = set(value) if kind is dict else set(range(len(value)))
        if present != set(tree.keys):
            raise ValueError(
                f"{path} has the entries {sorted(present, key=str)}, the parameters {[*tree.keys]}"
            )
    found = []
    for key, child in zip(tree.keys, tree.children, strict=True):
        if kind in (dict, list):
            found += leaves_like(child, value[key], f"{path}[{key!r}]")
        else:
            found += leaves_like(child, getattr(value, key), f"{path}.{key}")
    return found


def fitting_gradient(grad: Any, param: np.ndarray, path: str) -> np.ndarray:
    """The gradient as an array of the dtype of its parameter.

    Raises:
        ValueError: another shape.
        TypeError: complex for a real parameter, or no numbers.
    """
    array = np.asarray(grad)
    if array.shape != param.shape:
        raise ValueError(f"the gradient of {path} has shape {array.shape}, the parameter {param.shape}")
    if array.dtype != param.dtype:
        if array.dtype.kind not in ("f", param.dtype.kind):
            raise TypeError(f"the gradient of {path} has dtype {array.dtype}, the parameter {param.dtype}")
        array = array.astype(param.dtype)
    return array


def _checked(leaf: Any, path: str) -> np.ndarray:
    if isinstance(leaf, Tensor):
        raise TypeError(f"{path} is a Tensor among arrays: an optimiser takes either")
    if not isinstance(leaf, np.ndarray):
        raise TypeError(
            f"{path} is a {type(leaf).__name__}, which cannot be updated in place: make it an array "
            f"(np.array(...)), or use the optimisers of ast_ad.optim.pure, which return new parameters"
        )
    if leaf.dtype.kind not in "fc":
        raise TypeError(
            f"{path} is an array of {leaf.dtype}: only floating point and complex can be optimised"
        )
    if not leaf.flags.writeable:
        raise ValueError(f"{path} is read-only, so it cannot be updated in place")
    return leaf


class ArrayParameters:
    """The containers of arrays that an optimiser was given, and the tensors that stand for the arrays."""

    def __init__(self, grouped: bool) -> None:
        self.grouped = grouped
        self.roots: list[tuple[Any, TreeDef, list[np.ndarray], list[Tensor]]] = []

    @classmethod
    def adopt(cls, params: Any) -> tuple[ArrayParameters | None, list[Any]]:
        """The parameters as tensors, or as groups of tensors; and the containers, if they hold arrays."""
        if isinstance(params, np.ndarray):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, or a "
                "container of arrays, but got numpy.ndarray"
            )
        if isinstance(params, Iterable) and not isinstance(params, (dict, list, tuple)):
            params = list(params)
        grouped = isinstance(params, (list, tuple)) and bool(params)
        grouped = grouped and all(isinstance(group, dict) and "params" in group for group in params)
        roots = [g["params"] for g in params] if grouped else [params]
        roots = [list(r) if isinstance(r, Iterable) and not _keeps(r) else r for r in roots]
        if not any(isinstance(leaf, np.ndarray) for root in roots for leaf in _leaves(root)):
            for group, root in zip(params if grouped else (), roots, strict=False):
                group["params"] = root
            return None, list(params)
        held = cls(grouped)
        groups = [held.add(root) for root in roots]
        if grouped:
            return held, [{**g, "params": t} for g, t in zip(params, groups, strict=True)]
        return held, groups[0]

    def _name(self, i: int) -> str:
        return f"params[{i}]['params']" if self.grouped else "params"

    def add(self, root: Any) -> list[Tensor]:
        """The tensors that stand for the arrays of one more group."""
        self.grouped = self.grouped or bool(self.roots)
        name = self._name(len(self.roots))
        root = [root] if isinstance(root, np.ndarray) else root
        leaves, tree = flatten(root, name)
        arrays = [_checked(leaf, path) for leaf, path in zip(leaves, tree.paths(name), strict=True)]
        tensors = [Tensor._of(array) for array in arrays]
        self.roots.append((root, tree, arrays, tensors))
        self._check_distinct()
        return tensors

    def _check_distinct(self) -> None:
        seen: dict[int, str] = {}
        for i, (_, tree, arrays, _) in enumerate(self.roots):
            for array, path in zip(arrays, tree.paths(self._name(i)), strict=True):
                if id(array) in seen:
                    raise ValueError(f"{seen[id(array)]} and {path} are the same array")
                seen[id(array)] = path

    def take(self, grads: Any) -> Any:
        """Give each tensor its gradient; the loss, where ``grads`` is a function.

        Args:
            grads: as the parameters; for groups a list with an entry for each; or a function without
                arguments that returns the loss and the gradients.
        """
        loss = None
        if callable(grads):
            loss, grads = grads()
        if grads is None:
            raise TypeError("step() of an optimiser of arrays takes their gradients: optimizer.step(grads)")
        parts = grads if self.grouped else [grads]
        if len(parts) != len(self.roots):
            raise ValueError(f"{len(parts)} entries of gradients for {len(self.roots)} groups of parameters")
        for i, ((root, tree, arrays, tensors), part) in enumerate(zip(self.roots, parts, strict=True)):
            self._check_unchanged(i, root, tree, arrays)
            part = [part] if isinstance(part, np.ndarray) and len(tensors) == 1 else part
            leaves = leaves_like(tree, part, f"grads[{i}]" if self.grouped else "grads")
            for j, (leaf, array, tensor) in enumerate(zip(leaves, arrays, tensors, strict=True)):
                if leaf is None:
                    tensor._grad = None
                    continue
                if leaf.__class__ is not np.ndarray or leaf.shape != array.shape or leaf.dtype != array.dtype:
                    leaf = fitting_gradient(leaf, array, tree.paths(self._name(i))[j])
                tensor._grad = Tensor._of(leaf)
        return loss

    def _check_unchanged(self, i: int, root: Any, tree: TreeDef, arrays: list[np.ndarray]) -> None:
        """Refuse to train arrays that the caller's containers do not hold any more."""
        leaves, now = flatten(root)
        if len(leaves) == len(arrays) and all(map(_same, leaves, arrays)):
            return
        changed = [
            path
            for path, leaf, array in zip(tree.paths(self._name(i)), leaves, arrays, strict=False)
            if leaf is not array
        ]
        what = (
            f"{changed[0]} is another array" if now == tree and changed else f"{self._name(i)} holds others"
        )
        raise ValueError(
            f"{what} than when the optimiser was made. Change arrays in place (a[...] = new), or make a new "
            "optimiser"
        )


def _same(a: Any, b: Any) -> bool:
    return a is b


def _keeps(root: Any) -> bool:
    """Whether a container can be looked at again."""
    return isinstance(root, (dict, list, tuple, np.ndarray, Tensor, set))


def _leaves(root: Any) -> list[Any]:
    if isinstance(root, (Tensor, set)):
        return []
    return flatten(root)[0]
