"""What do ``np.einsum`` and its adjoint stand for in kernels? Products of matrices, or sums of products.

A letter that an operand has twice is left to NumPy.
"""

from __future__ import annotations

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
from typing import Any

import numpy as np

from ....rules.helpers import unbroadcast
from ....rules.numpy import contractions
from ....rules.numpy.contractions import explicit_subscripts
from ....rules.numpy.gather import refuse


def einsum(subscripts, *operands, optimize=False):
    if not isinstance(subscripts, str):
        refuse("this call")
    inputs, output = explicit_subscripts(subscripts, [np.ndim(x) for x in operands])
    require_plain(inputs, operands)
    return contracted(inputs, output, operands)


def einsum_bar(g, x, subscripts, i, others):
    ranks = [np.ndim(o) for o in others]
    inputs, output = explicit_subscripts(subscripts, [*ranks[:i], np.ndim(x), *ranks[i:]])
    require_plain(inputs, [*others[:i], x, *others[i:]])
    mine, rest = inputs[i], inputs[:i] + inputs[i + 1 :]
    factors = [output, *rest]
    present = "".join([c for c in mine if any([c in letters for letters in factors])])
    product = contracted(factors, present, [g, *others])
    if len(present) < len(mine):
        product = product[tuple([slice(None) if c in present else None for c in mine])]
        product = product + np.zeros(np.shape(x), product.dtype)
    return unbroadcast(product, x)  # an axis of length 1 is repeated


def require_plain(inputs, operands):
    """Refuse letters that stand twice, and operands that are not of floating point."""
    for letters in inputs:
        if any([letters.count(c) > 1 for c in letters]):
            refuse("this call")
    if any([x.dtype.kind not in "fc" for x in operands]):
        refuse("this call")


def contracted(inputs, output, operands):
    """The sum of the products over the letters that ``output`` lacks."""
    over = "".join([c for c in dict.fromkeys("".join(inputs)) if c not in output])
    if len(operands) == 2 and len(over) == 1:
        first, second = inputs
        if first == output[:-1] + over and second == over + output[-1:]:
            return operands[0] @ operands[1]
        if len(output) == 2 and len(first) == 2 and len(second) == 2:
            pair = (first, second) if output[0] in first else (second, first)
            if output[0] in pair[0] and output[1] in pair[1] and over in first and over in second:
                a, b = operands if output[0] in first else (operands[1], operands[0])
                return (a if pair[0][1] == over else a.T) @ (b if pair[1][0] == over else b.T)
    order = output + over
    factors = [spread(x, letters, order) for letters, x in zip(inputs, operands)]  # noqa: B905
    product = factors[0]
    for factor in factors[1:]:
        product = product * factor
    return np.sum(product, axis=tuple(range(len(output), len(order)))) if over else product


def spread(x, letters, order):
    """An operand with an axis for every letter, in order."""
    if not letters:
        return x
    axes = [letters.index(c) for c in order if c in letters]
    return np.transpose(x, axes)[tuple([slice(None) if c in letters else None for c in order])]


DEFINITIONS: dict[Any, Any] = {np.einsum: einsum, contractions.einsum_bar: einsum_bar}
