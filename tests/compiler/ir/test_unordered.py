"""Do sets of operands keep an order, so that another process writes the same text?"""

import copy
import os
import pickle
import subprocess
import sys
import textwrap

import pytest

from ast_ad.compiler.ir.dims import Dim, largest, product, smallest
from ast_ad.compiler.ir.unordered import Unordered


def test_equal_whatever_the_order():
    one, other = Unordered([3, 1, 2, 1]), Unordered([2, 3, 1])
    assert one == other == frozenset({1, 2, 3}) and hash(one) == hash(other)
    assert list(one) == [3, 1, 2] and list(other) == [2, 3, 1] and len(one) == 3 and 2 in one


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_copies_have_the_order(again):
    given = Unordered(["b", "c", "a"])
    found = again(given)
    assert type(found) is Unordered and found == given and list(found) == list(given)


def test_terms_are_equal_whatever_the_order():
    n, m, k = (Dim.symbol(name, least=0) for name in "nmk")
    assert smallest(n, m, k) == smallest(k, smallest(n, m))
    assert largest(n, m) == largest(m, n)
    assert product(product(n, m), k) == product(k, product(m, n))
    (atom, _) = smallest(m, n).terms[0]
    assert atom.operands == (m, n)


TEXT = """
    import numpy as np, ast_ad
    from ast_ad.calls import pipeline

    def loss(image, steps):
        rows, columns = image.shape
        for _ in range(steps):
            region = image[: rows // 4, : columns // 4]
            mean = np.mean(region)
            variance = np.mean(region**2) - mean**2
            image = image + image * variance / mean**2
        return np.sum(image)

    def write(emitted, name, refused=()):
        print(emitted.text)
        raise SystemExit

    pipeline.loaded = write
    ast_ad.value_and_grad(loss, backend="numba")(np.ones((40, 30)), 3)
"""


@pytest.mark.slow
def test_the_text_of_kernels_does_not_hang_on_hashes():
    texts = set()
    for seed in ("1", "2", "3"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "AST_AD_CACHE": "0"}
        command = [sys.executable, "-c", "import linecache\n" + SOURCE]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        texts.add(done.stdout)
    [text] = texts
    assert text.startswith("# kernels") and "min(rows" in text or "min(floordiv_rows" in text


SOURCE = f"""
source = {textwrap.dedent(TEXT)!r}
linecache.cache["<loss>"] = (len(source), None, source.splitlines(True), "<loss>")
exec(compile(source, "<loss>", "exec"), {{"__name__": "__main__"}})
"""
