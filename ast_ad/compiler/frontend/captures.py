"""How are the numbers and arrays that a compiled function reads from outside found at each call?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .guards import CALLED, Path, access


class Captures:
    """Paths that are read at each call, each place once.

    >>> space = {"scale": 2.0}
    >>> captures = Captures()
    >>> captures.add(Path.of_global(space, "scale")), captures.add(Path.of_global(space, "scale"))
    (0, 0)
    >>> captures.read()
    [2.0]
    """

    def __init__(self) -> None:
        self.paths: list[Path] = []
        self._indices: dict[Any, int] = {}
        self._read: Callable[[Sequence[Any]], list[Any]] | None = None
        self._compiled_for = 0

    def add(self, path: Path) -> int:
        """The position of the path's value among the extra inputs."""
        index = self._indices.setdefault(path.key, len(self.paths))
        if index == len(self.paths):
            self.paths.append(path)
        return index

    def read(self, args: Sequence[object] = ()) -> list[Any]:
        """The values there now."""
        if self._read is None or len(self.paths) != self._compiled_for:
            space: dict[str, Any] = {**CALLED}
            texts = [access(path, path.steps, f"r{i}", space) for i, path in enumerate(self.paths)]
            self._read = eval(f"lambda args: [{', '.join(texts)}]", space)
            self._compiled_for = len(self.paths)
        return self._read(args)
