"""Where does a NaN in the reverse sweep come from? The detection of anomalies."""

from __future__ import annotations

import os
import sys
import threading
import traceback
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from .state import watch

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
    >>> with warnings.catch_warnings(action="ignore"), detect_anomaly():
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


class _Running(threading.local):
    """The node whose backward runs in this thread."""

    node: Any = None


_running = _Running()
_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep


def remember(node: Any) -> None:
    """Keep, with a node, the call that made it, and the node in whose backward that happened."""
    frames = traceback.extract_stack()
    node.metadata["traceback_"] = traceback.format_list(
        [frame for frame in frames if not frame.filename.startswith(_PACKAGE)]
    )
    if _running.node is not None:
        node.metadata["parent_"] = _running.node


def checked_backward(node: Any, g: Any, graph: bool) -> Sequence[Any]:
    """A node's backward; where it fails or gives NaN, the forward call is shown first."""
    before, _running.node = _running.node, node
    try:
        outs: Sequence[Any] = node._backward(g, graph)
    except Exception:
        _show(node)
        raise
    finally:
        _running.node = before
    if watch.check_nan:
        live = iter(outs)
        for i, (target, _) in enumerate(node._edges):
            out = node._dropped.get(i) if target is None else next(live)
            array = None if out is None else out._array if hasattr(out, "_array") else np.asarray(out)
            if array is not None and array.dtype.kind in "fc" and np.isnan(array).any():
                _show(node)
                raise RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output.")
    return outs


def _show(node: Any) -> None:
    """Tell of the call that made a node, and of those that led to it through earlier backward passes."""
    before = f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n"
    while node is not None:
        lines = node.metadata.get("traceback_")
        if lines is None:
            text = (
                f"Error detected in {node.name()}. No forward pass information available. Enable detect "
                "anomaly during forward pass for more information."
            )
        else:
            text = before + "".join(lines)
        try:
            warnings.warn(text, stacklevel=4)
        except Warning:  # made an error by a filter: it must not hide the error that it explains
            print(f"UserWarning: {text}", file=sys.stderr)
        node = node.metadata.get("parent_")
        if node is not None:
            before = (
                f"\n\nPrevious calculation was induced by {node.name()}. Traceback of forward call that "
                "induced the previous calculation:\n"
            )
