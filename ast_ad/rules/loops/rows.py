"""How are rows added to those of a table, several to one? Row by row; NumPy goes element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import kernel


def _add_rows(rows: Any, index: Any, table: Any) -> None:
    np.add.at(table, index, rows)


@kernel(_add_rows)
def add_rows(rows: Any, index: Any, table: Any) -> None:
    """Add each of ``rows`` to the row of ``table`` that ``index`` names, in place.

    Raises:
        IndexError: there is no such row.
    """
    for i in range(index.size):
        row = index[i]
        if row < 0:
            row += table.shape[0]
        if row < 0 or row >= table.shape[0]:
            raise IndexError("index out of range in self")
        for j in range(rows.shape[1]):
            table[row, j] += rows[i, j]
