"""Do slices of rules give what the whole rules give, and read no more than they say?"""

from __future__ import annotations

import contextlib
import inspect
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "rules"))

from sample import Sample, all_samples

from ast_ad import rules  # noqa: F401  (fills the registry)
from ast_ad.eager import doors
from ast_ad.eager.slices import reads, slices, tensor_names
from ast_ad.eager.slices.slices import Slice, slice_rule
from ast_ad.errors import AdError, MissingRuleError
from ast_ad.rule import direct
from ast_ad.rules import helpers, partials
from ast_ad.rules.registry import Primitive, lookup
from tests.together import grouped, together

CASES = [
    pytest.param(fn, s, id=f"{getattr(fn, '__module__', '')}.{getattr(fn, '__name__', fn)}-{i}")
    for fn, samples in all_samples().items()
    for i, s in enumerate(samples)
    if lookup(fn).kind in ("elementwise", "vjp") and s.wrt != ()  # () where differentiation is refused
]


# ----- what the whole rule gives -----


def places(primitive: Primitive, sample: Sample) -> dict[int, Any]:
    """The arguments that carry a derivative, by their place in the rule; keywords too."""
    parameters = inspect.signature(primitive.rule).parameters
    names = direct.rule_parameters(primitive)
    variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters.values())
    found = {i: x for i, x in enumerate(sample.args) if direct.holds_floats(x)}
    if not variadic:
        found |= {
            names.index(k): x for k, x in sample.kwargs.items() if k in names and direct.holds_floats(x)
        }
    return found


def whole(primitive: Primitive, g: Any, ans: Any, sample: Sample, is_complex: bool, safe: bool) -> Any:
    """A function from a place to what the whole rule gives for it."""
    before = (ans,) if primitive.kind == "elementwise" else (g, ans)
    parts = primitive.rule(*before, *sample.args, **sample.kwargs)
    parts = parts if isinstance(parts, tuple) else (parts,)

    def at(i: int) -> Any:
        if i >= len(parts):  # refused, if it is more than a shape
            return None if helpers.METADATA.get(primitive.fn) == i else NotImplemented
        part = parts[i]
        if primitive.kind == "vjp" or part is None or part is NotImplemented:
            return part
        part = np.conj(part) if is_complex else part
        return helpers.safe_product(g, part) if safe and primitive.partial_domain else g * part

    return at


def active_patterns(chosen: list[int], count: int) -> list[tuple[bool, ...]]:
    single = [{i} for i in chosen]
    sets = [*single, set(chosen)] if len(chosen) > 1 else single
    return [tuple(i in s for i in range(max(count, max(chosen) + 1))) for s in sets]


def setting(fn: Any, sample: Sample) -> tuple[Primitive, Any, Any, bool, list[tuple[bool, ...]]]:
    """The primitive, a cotangent, the result, whether it is complex, and patterns of active arguments."""
    primitive = lookup(fn)
    ans = fn(*sample.args, **sample.kwargs)
    g = direct.random_like(ans, np.random.default_rng(0))
    of = places(primitive, sample)
    leaves: list[Any] = []
    direct.tree(leaves.append, [ans, *sample.args])
    is_complex = any(np.iscomplexobj(x) for x in leaves)
    return primitive, g, ans, is_complex, active_patterns(list(of), len(sample.args)) if of else []


def same(found: Any, expected: Any) -> None:
    if isinstance(expected, (list, tuple)):
        assert isinstance(found, (list, tuple))
        assert len(found) == len(expected)
        for f, e in zip(found, expected, strict=True):
            same(f, e)
    elif expected is None:
        assert found is None
    else:
        assert np.shape(found) == np.shape(expected)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


def quiet() -> Any:
    warnings.simplefilter("ignore")
    return np.errstate(all="ignore")


def slices_of(fn: Any, sample: Sample) -> Any:
    """(slice, g, ans, what it has to give) for each pattern of active arguments."""
    primitive, g, ans, is_complex, patterns = setting(fn, sample)
    for safe in (False, True)[: 1 + primitive.partial_domain]:
        try:
            at = whole(primitive, g, ans, sample, is_complex, safe)
        except AdError:  # refuses this sample
            continue
        for active in patterns:
            s = slice_rule(primitive, active, tuple(sample.kwargs), is_complex, safe)
            expected = [at(i) for i, on in enumerate(active) if on]
            if not any(e is NotImplemented for e in expected):
                yield s, g, ans, expected


@pytest.mark.drawn(of=16)
@pytest.mark.parametrize(("fn", "sample"), CASES)
def test_slice_agrees_with_rule(fn: Any, sample: Sample) -> None:
    with warnings.catch_warnings(), quiet():
        for s, g, ans, expected in slices_of(fn, sample):
            found = s.run(g, ans, *sample.args, **sample.kwargs)
            assert isinstance(found, tuple)
            same(list(found), expected)


# ----- what it reads -----


def poisoned(x: Any) -> Any:
    """Of the same shapes and dtypes, with other values."""

    def poison(leaf: Any) -> Any:
        if isinstance(leaf, np.ndarray):
            value = {"f": np.nan, "c": np.nan, "b": True}.get(leaf.dtype.kind, 1 << 5)
            return np.full_like(leaf, value) if leaf.dtype.kind != "b" else ~leaf
        return type(leaf)(np.nan) if isinstance(leaf, (float, complex, np.inexact)) else leaf

    return direct.tree(poison, x)


def unread(x: Any, level: str, stand_in: Any) -> Any:
    return x if level == "value" else stand_in(x) if level == "meta" else None


@pytest.mark.drawn(of=48)
@pytest.mark.parametrize(("fn", "sample"), CASES)
def test_slice_reads_no_more_than_it_says(fn: Any, sample: Sample) -> None:
    with warnings.catch_warnings(), quiet():
        for s, g, ans, expected in slices_of(fn, sample):
            for stand_in in (poisoned, lambda x: direct.tree(hollowed, x)):
                args = [unread(x, level, stand_in) for x, level in zip(sample.args, s.reads, strict=False)]
                kwargs = {k: unread(x, s.reads_keywords[k], stand_in) for k, x in sample.kwargs.items()}
                found = s.run(g, unread(ans, s.reads_ans, stand_in), *args, **kwargs)
                same(list(found), expected)


def hollowed(leaf: Any) -> Any:
    return helpers.hollow(leaf) if isinstance(leaf, np.ndarray) else leaf


# (function, active, keywords, what it reads of the result and of the arguments)
FACTS: list[Any] = [
    (np.multiply, (True, False), (), "", ("", "value")),
    (np.multiply, (True, True), (), "", ("value", "value")),
    (np.add, (True, True), (), "", ("", "")),
    (np.exp, (True,), (), "value", ("",)),
    (np.tanh, (True,), (), "value", ("",)),
    (np.sum, (True,), (), "", ("meta",)),
    (np.sum, (True, False), (), "", ("meta", "value")),
    (np.power, (True, False), (), "", ("value", "value")),
    (np.power, (False, True), (), "value", ("value", "value")),
    (np.divide, (True, False), (), "", ("", "value")),
    (np.divide, (False, True), (), "value", ("", "value")),
    (np.matmul, (True, False), (), "", ("meta", "value")),
    (np.matmul, (False, True), (), "", ("value", "meta")),
    (np.linalg.matmul, (True, False), (), "", ("meta", "value")),
    (np.dot, (True, False), (), "", ("meta", "value")),
    (np.reshape, (True, False), (), "", ("meta", "")),
    (np.transpose, (True,), (), "", ("",)),
    (np.concatenate, (True,), (), "", ("meta",)),
    (np.stack, (True,), ("axis",), "", ("meta",)),
    (np.array, (True,), (), "", ("meta",)),
    (helpers.setitem, (True, False, True), (), "", ("", "value", "meta")),
    (np.where, (False, True, True), (), "", ("value", "", "")),
    (np.mean, (True,), (), "", ("meta",)),
    (np.linalg.solve, (False, True), (), "", ("value", "meta")),
    (np.einsum, (False, True, False), (), "", ("value", "meta", "value")),
    (np.broadcast_arrays, (True, False), (), "", ("meta", "")),
]


@pytest.mark.parametrize(("fn", "active", "keywords", "reads_ans", "reads"), FACTS)
def test_facts(fn: Any, active: Any, keywords: Any, reads_ans: str, reads: Any) -> None:
    s = slice_rule(lookup(fn), active, keywords)
    assert (s.reads_ans, s.reads) == (reads_ans, reads), s.source


def test_no_slices() -> None:
    assert slice_rule(lookup(np.take), (True, False)) is None
    assert slice_rule(lookup(np.floor), (True,)) is None


def test_source_is_tight() -> None:
    s: Slice = slice_rule(lookup(np.multiply), (True, False))
    assert s.source == "def multiply_slice(g, ans, x, y):\n    return (g * y,)"


def test_missing_formula() -> None:
    jv = lookup(pytest.importorskip("scipy.special").jv)
    assert slice_rule(jv, (False, True)).run(1.0, None, 1, 0.0) == (0.5,)
    with pytest.raises(MissingRuleError, match="argument 1"):
        slice_rule(jv, (True, False)).run(1.0, None, 1, 0.0)


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        ("elementwise", lambda ans, x, y: (y, x)),
        ("vjp", lambda g, ans, x, y: (g * y, g * np.conj(x))),
        ("vjp", eval("lambda g, ans, x, y: (g * y, g * np.conj(x))", {"np": np})),
    ],
)
def test_rule_without_source(kind: str, rule: Any) -> None:
    """The whole rule is run, and reads everything."""
    s = slice_rule(Primitive(np.multiply, kind, rule), (False, True), complex_=True)
    assert (s.reads_ans, s.reads) == ("value", ("value", "value"))
    assert s.run(2.0, None, 3.0 + 1j, 5.0) == (6 - 2j,)


def folded(g, ans, x, y=None, scale=1.0):  # type: ignore[no-untyped-def]
    if y is None:
        y = 1.0
    return g * y * scale, g * x


def test_parameter_that_is_assigned() -> None:
    primitive = Primitive(len, "vjp", folded)
    assert slice_rule(primitive, (True, False)).run(2.0, None, 3.0, 5.0) == (10.0,)
    assert slice_rule(primitive, (True,)).run(2.0, None, 3.0) == (2.0,)
    assert slice_rule(primitive, (True,), ("scale",)).run(2.0, None, 3.0, scale=4.0) == (8.0,)
    assert slice_rule(primitive, (False, True)).reads == ("value", "meta")


# ----- on tensors -----


class Traced(np.lib.mixins.NDArrayOperatorsMixin):
    """A tensor that records nothing: it has no values for code that doesn't ask the dispatcher."""

    _is_eager_tensor = True
    __slots__ = ("_array",)

    def __init__(self, array: Any) -> None:
        self._array = np.asarray(array)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._array.shape

    @property
    def ndim(self) -> int:
        return self._array.ndim

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("a tensor was taken for an array")

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, idx: Any) -> Traced:
        return Traced(self._array[tensor_names.arrays_in(idx)])

    def __bool__(self) -> bool:
        return bool(self._array)

    def __int__(self) -> int:
        return int(self._array)

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        return call(getattr(ufunc, method), args, kwargs)

    def __array_function__(self, fn: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return call(fn, args, kwargs)


def call(fn: Any, args: Any, kwargs: Any) -> Any:
    plain = {k: tensor_names.arrays_in(v) for k, v in kwargs.items()}
    return traced(fn(*tensor_names.arrays_in(args), **plain))


def traced(x: Any) -> Any:
    def wrap(leaf: Any) -> Any:
        return Traced(leaf) if isinstance(leaf, (np.ndarray, np.generic, float, complex)) else leaf

    return direct.tree(wrap, x)


@pytest.mark.drawn(of=16)
@pytest.mark.parametrize(("fn", "sample"), CASES)
def test_slice_runs_on_tensors(fn: Any, sample: Sample, monkeypatch: Any) -> None:
    monkeypatch.setattr(doors, "call", call)
    of = [i for i in places(lookup(fn), sample) if sample.wrt is None or i in sample.wrt]
    args = [traced(x) if i in of else x for i, x in enumerate(sample.args)]
    with warnings.catch_warnings(), quiet():
        for s, g, ans, expected in slices_of(fn, sample):
            found = s.run_tensors(traced(g), traced(ans), *args, **sample.kwargs)
            assert plain_arrays(found) == [], "a cotangent was computed past the dispatcher"
            same(tensor_names.arrays_in(list(found)), expected)


COMPOSITES = [
    (f"{getattr(fn, '__module__', '')}.{getattr(fn, '__name__', fn)}-{i}", [fn, s])
    for fn, samples in all_samples().items()
    for i, s in enumerate(samples)
    if lookup(fn).kind == "composite"
]


@together(["fn", "sample"], grouped(COMPOSITES, lambda name: name.rpartition("-")[0]))
def test_composite_runs_on_tensors(fn: Any, sample: Sample, monkeypatch: Any) -> None:
    monkeypatch.setattr(doors, "call", call)
    of = [i for i, x in enumerate(sample.args) if i in (sample.wrt or (i,)) and direct.holds_floats(x)]
    args = [traced(x) if i in of else x for i, x in enumerate(sample.args)]
    with warnings.catch_warnings(), quiet():
        found = slices.on_tensors(lookup(fn).rule)(*args, **sample.kwargs)
        assert not of or plain_arrays([found]) == [], "computed past the dispatcher"
        same(tensor_names.arrays_in(found), fn(*sample.args, **sample.kwargs))


def plain_arrays(x: Any) -> list[Any]:
    if isinstance(x, (list, tuple)):
        return [leaf for item in x for leaf in plain_arrays(item)]
    return [x] if isinstance(x, np.ndarray) else []


def test_an_analysis_that_is_interrupted_is_made_again(monkeypatch):
    """As where a run on trial takes too long, or the stack is full: half an answer would be a wrong one."""
    whole, calls = reads.Demand.block, []

    def interrupted(self, body):
        calls.append(self.tree.name)
        if calls.count("power_dx") == 1:
            raise TimeoutError
        whole(self, body)

    monkeypatch.setattr(reads, "_found", {})
    monkeypatch.setattr(reads.Demand, "block", interrupted)
    for _ in range(2):
        with contextlib.suppress(TimeoutError):
            found, order = reads.argument_levels(partials.power_dx, reads.VALUE)
    assert order == ["x", "y"] and set(found.values()) == {reads.VALUE}
    assert not reads._in_progress
