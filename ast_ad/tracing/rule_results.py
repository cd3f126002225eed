"""How is what a derivative rule of the user's returned taken apart?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import AdError
from ..registered import Made
from ..trees import LEAF, STATIC, TreeDef


def leaves_like(tree: TreeDef, given: Any, error: AdError) -> list[Any]:
    """The leaves of a cotangent or tangent in the structure of its value; None for zeros.

    Raises:
        AdError: ``error``, if the structure is another one.

    >>> from ast_ad.trees import flatten
    >>> _, tree = flatten({"w": 1.0, "b": (2.0, "relu")})
    >>> leaves_like(tree, {"w": 3.0, "b": None}, ValueError())
    [3.0, None]
    """
    if given is None:
        return [None] * tree.num_leaves
    if tree.type is LEAF:
        return [given]
    if tree.type is STATIC:
        return []
    if type(given) is not tree.type:
        raise error
    keys, items = _parts(given, tree)
    if keys != list(tree.keys):
        raise error
    pairs = zip(tree.children, items, strict=True)
    return [leaf for child, item in pairs for leaf in leaves_like(child, item, error)]


def _parts(value: Any, tree: TreeDef) -> tuple[list[Any], Sequence[Any]]:
    """What is in a container, and what its parts are called."""
    if isinstance(tree.static, Made):
        children = tree.opened(value)
        return list(range(len(children))), children
    if isinstance(value, dict):
        return list(value), list(value.values())
    if isinstance(value, (tuple, list)):
        return list(getattr(value, "_fields", range(len(value)))), value
    held = {key: getattr(value, key) for key in tree.keys if hasattr(value, key)}  # a dataclass
    return list(held), list(held.values())
