"""Is a gradient zero because nothing leads from an argument to the result?

``tell`` says so, once for each argument: in one that is not read the question is a mistake, and in an
``int(x)`` the derivative got lost.
"""

from __future__ import annotations

import warnings
from typing import Any

from .analysis.activity import analyse
from .analysis.lost import lost
from .errors import ZeroGradientWarning


def zeros(variant: Any, of: tuple[int, ...], unused: bool = True) -> list[str]:
    """What is to be told of the cotangents that are zero whatever the values are.

    ``unused``: whether arguments were chosen, so that one that is not read is a mistake.
    """
    function = variant.lowered.function
    inputs = {i: function.params[i] for i in variant.wrt}
    active = analyse(function.body, inputs.values(), [function.body.results[i] for i in of]).active
    texts: list[str] = []
    for i in variant.chosen:
        labels = dict(zip(range(*variant.ranges[i]), variant.trees[i].paths(variant.names[i]), strict=True))
        labels = {p: label for p, label in labels.items() if p in inputs}
        found = {p: lost(function, inputs[p]) for p in labels if inputs[p] not in active}
        texts += [
            f"by `{labels[p]}` is zero: it becomes an integer{_place(place)}"
            for p, (how, place) in found.items()
            if how == "integer"
        ]
        if unused and len(found) == len(labels) and all(how == "unused" for how, _ in found.values()):
            code = getattr(variant.owner.function, "__code__", None)
            where = f" ({code.co_filename}:{code.co_firstlineno})" if code else ""
            texts.append(f"by `{variant.names[i]}` is zero: the result does not depend on it{where}")
    return texts


def _place(span: Any) -> str:
    return f" at {span.filename}:{span.line}: {span.text.strip()}" if span.line else ""


def tell(owner: Any, variant: Any) -> None:
    """Warn of a gradient that is zero, once for each reason."""
    from .fallback.derivative import level

    for text in variant.zeros:
        if text not in owner.told:
            owner.told.add(text)
            name = getattr(owner.function, "__name__", "function")
            warnings.warn(f"the gradient of `{name}` {text}", ZeroGradientWarning, stacklevel=level())
