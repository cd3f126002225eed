"""What do ``np.einsum`` and its adjoint stand for in kernels? Products of matrices, or sums of products.

A letter that an operand has twice is left to NumPy. Outside of loops factors become matrices, or stacks of
them, by their letters: those of the left factor alone are rows, those of the right one columns, and what is
summed over stands between. BLAS goes over memory in blocks, loops over sums of products don't. Within
loops, and of few numbers, the products stay with what is around them.
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


# ----- as products of matrices
def einsum_of_matrices(subscripts, *operands, optimize=False):
    if not isinstance(subscripts, str):
        refuse("this call")
    inputs, output = explicit_subscripts(subscripts, [np.ndim(x) for x in operands])
    require_plain(inputs, operands)
    return by_pairs(inputs, output, operands)


def einsum_bar_of_matrices(g, x, subscripts, i, others):
    ranks = [np.ndim(o) for o in others]
    inputs, output = explicit_subscripts(subscripts, [*ranks[:i], np.ndim(x), *ranks[i:]])
    require_plain(inputs, [*others[:i], x, *others[i:]])
    factors = [output, *inputs[:i], *inputs[i + 1 :]]
    if not all([any([c in letters for letters in factors]) for c in inputs[i]]):
        refuse("this call")
    product = by_pairs(factors, inputs[i], [g, *others])
    for k in range(len(inputs[i])):
        if np.shape(product)[k] != np.shape(x)[k]:
            refuse("this call")  # an axis of length 1 was repeated
    return product


def by_pairs(inputs, output, operands):
    """The contraction, two factors after the other: the pair first that leaves the fewest letters."""
    pending = [(letters, x) for letters, x in zip(inputs, operands)]  # noqa: B905
    if len(pending) < 2:
        refuse("this call")
    while len(pending) > 1:
        i, j = best_pair([letters for letters, _ in pending], output)
        rest = [pending[k] for k in range(len(pending)) if k not in (i, j)]
        needed = output if len(rest) == 0 else output + "".join([letters for letters, _ in rest])
        kept = output if len(rest) == 0 else remaining(pending[i][0], pending[j][0], needed)
        pending = [(kept, product_of_two(pending[i], pending[j], kept)), *rest]
    return pending[0][1]


def remaining(first, second, needed):
    return "".join([c for c in dict.fromkeys(first + second) if c in needed])


def best_pair(inputs, output):
    """Which two are taken together; refused where no letter goes, for then nothing is gained."""
    best, least = (0, 1), 100
    for i in range(len(inputs)):
        for j in range(i + 1, len(inputs)):
            rest = [inputs[k] for k in range(len(inputs)) if k not in (i, j)]
            kept = remaining(inputs[i], inputs[j], output + "".join(rest))
            if len(kept) < least and len(kept) < len(remaining(inputs[i], inputs[j], inputs[i] + inputs[j])):
                best, least = (i, j), len(kept)
    if least == 100:
        refuse("this call")
    return best


def product_of_two(one, other, output):
    """A contraction of two factors, as one product of matrices or of stacks of them."""
    (first, a), (second, b) = one, other
    stack = [c for c in output if c in first and c in second]
    rows = [c for c in output if c in first and c not in second]
    columns = [c for c in output if c in second and c not in first]
    over = [c for c in first if c in second and c not in output]
    if len(rows) == 0 or len(columns) == 0 or len(over) == 0:
        return contracted([first, second], output, [a, b])
    a, first = without_own_sums(a, first, second + output)
    b, second = without_own_sums(b, second, first + output)
    lengths = [np.shape(a)[first.index(c)] for c in stack + rows]
    lengths = lengths + [np.shape(b)[second.index(c)] for c in columns]
    for c in stack + over:
        if np.shape(a)[first.index(c)] != np.shape(b)[second.index(c)]:
            refuse("this call")  # an axis of length 1 is repeated, or it is not known that none is
    if total(lengths + [np.shape(a)[first.index(c)] for c in over]) < FEW:
        # No refusal: where lengths are known at run time only, that would be an exception of the kernel.
        return contracted([first, second], output, [a, b])
    x = grouped(a, first, stack, rows, over)
    y = grouped(b, second, stack, over, columns)
    order = stack + rows + columns
    product = x @ y if len(rows) == len(columns) == 1 else np.reshape(x @ y, lengths)
    return np.transpose(product, [order.index(c) for c in output])


def without_own_sums(x, letters, others):
    """The factor with the sums taken that no other has a part in."""
    alone = tuple([i for i in range(len(letters)) if letters[i] not in others])
    if len(alone) == 0:
        return x, letters
    return np.sum(x, axis=alone), "".join([c for c in letters if c in others])


def grouped(x, letters, stack, first, second):
    """The factor as a matrix, or a stack of them, the axes of each side taken together."""
    arranged = np.transpose(x, [letters.index(c) for c in stack + first + second])
    if len(first) == len(second) == 1:
        return arranged
    sides = [total([np.shape(x)[letters.index(c)] for c in side]) for side in (first, second)]
    return np.reshape(arranged, [np.shape(x)[letters.index(c)] for c in stack] + sides)


def total(lengths):
    count = 1
    for n in lengths:
        count = count * n
    return count


FEW = 4096  # products: of fewer a call of BLAS costs more than it saves
DEFINITIONS: dict[Any, Any] = {
    np.einsum: (einsum_of_matrices, einsum),
    contractions.einsum_bar: (einsum_bar_of_matrices, einsum_bar),
}
