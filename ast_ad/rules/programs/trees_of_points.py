"""Which programs stand for SciPy's trees of points, ``KDTree`` and ``cKDTree``, asked for neighbours?

A ``cKDTree`` that was made before a trace is compiled code, and takes no traced points; a ``KDTree`` does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import KDTree, cKDTree

from ..numpy.gather import refuse
from ..scipy.neighbours import neighbours_of
from ..standing import stands_for


def asked(tree: Any, how: tuple[Any, ...], x: Any, k: Any, eps: Any, p: Any, upper: Any) -> Any:
    """``tree.query``; ``how``: the size of leaves, and how the tree was made."""
    if tree.boxsize is not None:
        refuse("neighbours in a periodic box", "there is no rule for it", "shift the points")
    return neighbours_of(tree.data, x, k, eps, p, upper, how)


def query(
    self: Any,
    x: Any,
    k: Any = 1,
    eps: Any = 0.0,
    p: Any = 2.0,
    distance_upper_bound: Any = np.inf,
    workers: Any = 1,
) -> Any:
    return asked(self, (self.leafsize, True, True), x, k, eps, p, distance_upper_bound)


for original in (KDTree.query, cKDTree.query):
    stands_for(original)(query)


@stands_for(KDTree, cKDTree)
class Tree:
    """A tree of points that are differentiated: what it tells of them without a derivative is SciPy's."""

    def __init__(
        self,
        data: Any,
        leafsize: int = 10,
        compact_nodes: bool = True,
        copy_data: bool = False,
        balanced_tree: bool = True,
        boxsize: Any = None,
    ) -> None:
        self.data, self.boxsize = np.array(data, float), boxsize
        self.leafsize, self.compact, self.balanced = leafsize, compact_nodes, balanced_tree
        self.n, self.m = np.shape(self.data)

    def query(
        self,
        x: Any,
        k: Any = 1,
        eps: Any = 0.0,
        p: Any = 2.0,
        distance_upper_bound: Any = np.inf,
        workers: Any = 1,
    ) -> Any:
        how = self.leafsize, self.compact, self.balanced
        return asked(self, how, x, k, eps, p, distance_upper_bound)

    def query_ball_point(self, *args: Any, **kwargs: Any) -> Any:
        return no_rule("query_ball_point")

    def query_ball_tree(self, *args: Any, **kwargs: Any) -> Any:
        return no_rule("query_ball_tree")

    def query_pairs(self, *args: Any, **kwargs: Any) -> Any:
        return no_rule("query_pairs")

    def count_neighbors(self, *args: Any, **kwargs: Any) -> Any:
        return no_rule("count_neighbors")

    def sparse_distance_matrix(self, *args: Any, **kwargs: Any) -> Any:
        return no_rule("sparse_distance_matrix")


def no_rule(method: str) -> Any:
    refuse(
        f"{method} of a tree of points",
        "there is a rule for query alone",
        "find the points before the function is called, and pass it their places",
    )
