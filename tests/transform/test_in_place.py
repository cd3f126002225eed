"""Do writes in place leave the meaning of a program, and its arguments, alone?"""

import copy

import numpy as np
import pytest

from ast_ad.emit.python import emit_module
from ast_ad.ir.check import check
from ast_ad.ir.evaluate import evaluate
from ast_ad.ir.show import show
from ast_ad.transform.in_place import write_in_place
from tests.transform.random_ir import Generator, arguments


def run_text(emitted, name="f"):
    namespace = dict(emitted.injected)
    exec(compile(emitted.text, "<generated>", "exec"), namespace)
    return namespace[name]


def same(a, b):
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return np.array_equal(a, b, equal_nan=True) if a is not None else b is None


def outcome(run, args):
    """The result, or the kind of error (an index out of range in a random program)."""
    try:
        with np.errstate(all="ignore"):
            return run(*args)
    except IndexError as error:
        return type(error)


def arrays(value):
    if isinstance(value, (list, tuple)):
        return [a for item in value for a in arrays(item)]
    return [value] if isinstance(value, np.ndarray) else []


@pytest.mark.parametrize("start", range(0, 400, 20))
def test_random_programs_keep_their_meaning(start):
    for seed in range(start, start + 20):
        function = check(Generator(seed).function())
        fresh = range(len(function.body.results)) if seed % 2 else ()
        expected = outcome(lambda *a, f=function: evaluate(f, *a), arguments(seed))
        changed = check(write_in_place(function, fresh=fresh))
        emitted = emit_module([changed])
        for run in (
            lambda *a, f=changed: evaluate(f, *a),
            run_text(emit_module([function])),
            run_text(emitted),
        ):
            args = arguments(seed)
            before = copy.deepcopy(args)
            result = outcome(run, args)
            report = f"seed {seed}\n{show(function)}\n\n{emitted.text}"
            assert same(result, expected), report
            assert same(args, before), report
        if fresh and not isinstance(result, type):
            found = arrays(result)
            for i, one in enumerate(found):
                assert one.flags.writeable, report
                assert not any(np.shares_memory(one, other) for other in [*found[:i], *arrays(args)]), report
