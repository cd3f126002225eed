"""Which edges, of least total capacity, separate one node of a network from another?

The maximum flow by Dinic's algorithm, with integer capacities: exact, and the same for the same network.
"""

from __future__ import annotations

from collections import deque

INFINITE = 1 << 200  # more than any sum of capacities: an edge that is never cut


class Network:
    """A directed graph with capacities. Edge ``2k + 1`` is the reverse of edge ``2k``; ``left`` is what of
    its capacity is not used.

    >>> network = Network()
    >>> a, b, c = (network.node() for _ in range(3))
    >>> network.edge(a, b, 3)
    >>> network.edge(b, c, 2)
    >>> sorted(network.sink_side(a, c)) == [c]
    True
    """

    def __init__(self) -> None:
        self.out: list[list[int]] = []
        self.head: list[int] = []
        self.left: list[int] = []

    def node(self) -> int:
        """Add a node."""
        self.out.append([])
        return len(self.out) - 1

    def edge(self, start: int, end: int, capacity: int) -> None:
        """Add an edge; several between the same nodes count together."""
        for a, b, left in ((start, end, capacity), (end, start, 0)):
            self.out[a].append(len(self.head))
            self.head.append(b)
            self.left.append(left)

    def sink_side(self, source: int, sink: int) -> set[int]:
        """The nodes on the sink's side of a minimum cut: of all minimum cuts, that with the fewest.

        Raises:
            ValueError: the nodes can't be separated, as a path of infinite capacity leads from one to the
                other.
        """
        flow = 0
        while True:
            levels = self._levels(source)
            if sink not in levels:
                break
            flow += self._block(source, sink, levels)
            if flow >= INFINITE:
                raise ValueError("a path of infinite capacity from the source to the sink")
        return self._reaching(sink)

    def _levels(self, source: int) -> dict[int, int]:
        """The distance of each node that can be reached over edges with something left."""
        levels, queue = {source: 0}, deque([source])
        while queue:
            node = queue.popleft()
            for edge in self.out[node]:
                if self.left[edge] and self.head[edge] not in levels:
                    levels[self.head[edge]] = levels[node] + 1
                    queue.append(self.head[edge])
        return levels

    def _block(self, source: int, sink: int, levels: dict[int, int]) -> int:
        """Fill shortest paths until each has a full edge; the flow that was added."""
        added, path, node = 0, list[int](), source
        following = dict.fromkeys(levels, 0)  # the first edge of each node that may still lead to the sink
        while True:
            if node == sink:
                amount = min(self.left[edge] for edge in path)
                for edge in path:
                    self.left[edge] -= amount
                    self.left[edge ^ 1] += amount
                added, path, node = added + amount, [], source
                if amount >= INFINITE:
                    return added
            edges = self.out[node]
            while following[node] < len(edges):
                edge = edges[following[node]]
                if self.left[edge] and levels.get(self.head[edge]) == levels[node] + 1:
                    break
                following[node] += 1
            if following[node] < len(edges):
                path.append(edge)
                node = self.head[edge]
            elif path:
                edge = path.pop()
                node = self.head[edge ^ 1]
                following[node] += 1
            else:
                return added

    def _reaching(self, sink: int) -> set[int]:
        """The nodes from which the sink can be reached over edges with something left."""
        found, queue = {sink}, deque([sink])
        while queue:
            for edge in self.out[queue.popleft()]:
                if self.left[edge ^ 1] and self.head[edge] not in found:
                    found.add(self.head[edge])
                    queue.append(self.head[edge])
        return found
