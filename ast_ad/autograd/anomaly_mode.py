"""Where does a NaN in the reverse sweep come from? The detection of anomalies."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..eager.state import watch

__all__ = ["detect_anomaly", "set_detect_anomaly"]


class set_detect_anomaly:
    """Switch the detection on or off: at once where it is called, for the time of a block.

    While it is on, the forward call of a node that fails is shown, and (``check_nan``) NaN is an error.
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.previous = watch.anomaly, watch.check_nan
        watch.anomaly, watch.check_nan = bool(mode), bool(check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: Any) -> None:
        watch.anomaly, watch.check_nan = self.previous


class detect_anomaly:
    """Find the operation whose backward makes a NaN, or fails, and show the line that called it.

    >>> import ast_ad, warnings
    >>> x = ast_ad.tensor(0.0, requires_grad=True)
    >>> with warnings.catch_warnings(), detect_anomaly():
    ...     warnings.simplefilter("ignore")
    ...     (ast_ad.sqrt(x) * 0).backward()
    Traceback (most recent call last):
    RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.
    """

    def __init__(self, check_nan: bool = True) -> None:
        self.check_nan = check_nan
        self.previous = watch.anomaly, watch.check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be "
            "enabled for debugging.",
            stacklevel=2,
        )

    def __enter__(self) -> None:
        self.previous = watch.anomaly, watch.check_nan
        watch.anomaly, watch.check_nan = True, self.check_nan

    def __exit__(self, *error: Any) -> None:
        watch.anomaly, watch.check_nan = self.previous


def remember(node: Any) -> None:
    """Keep, with a node, the call that made it, and the node in whose backward that happened."""
    lines = traceback.format_stack()
    node.metadata["traceback_"] = [line for line in lines if "/ast_ad/eager/" not in line.split(",")[0]]
    running = _running.node
    if running is not None:
        node.metadata["parent_"] = running


class _Running:
    node: Any = None


_running = _Running()


def checked_backward(node: Any, g: Any, graph: bool) -> Sequence[Any]:
    """A node's backward; where it fails or gives NaN, the forward call is shown first."""
    before, _running.node = _running.node, node
    try:
        outs = node._backward(g, graph)
    except Exception:
        _show(node)
        raise
    finally:
        _running.node = before
    if watch.check_nan:
        for i, out in enumerate(outs):
            array = None if out is None else out._array if hasattr(out, "_array") else np.asarray(out)
            if array is not None and array.dtype.kind in "fc" and np.isnan(array).any():
                _show(node)
                raise RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output.")
    return outs


def _show(node: Any) -> None:
    lines = node.metadata.get("traceback_")
    if lines is None:
        warnings.warn(
            f"Error detected in {node.name()}. No forward pass information available. Enable detect anomaly "
            "during forward pass for more information.",
            stacklevel=4,
        )
        return
    text = f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n"
    text += "".join(lines)
    parent = node.metadata.get("parent_")
    while parent is not None:
        before = parent.metadata.get("traceback_") or ["  (no forward pass information)\n"]
        text += f"\n\nPrevious calculation was induced by {parent.name()}. Traceback of forward call that "
        text += "induced the previous calculation:\n" + "".join(before)
        parent = parent.metadata.get("parent_")
    warnings.warn(text, stacklevel=4)
