"""Is the source found that of the code that runs, and is everything else refused?"""

import ast
import functools
import gc
import importlib.util
import linecache
import math
import os
import subprocess
import sys
import textwrap
import types
import warnings

import gast
import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.frontend.source import functions as source_module
from ast_ad.compiler.frontend.source.functions import find_source, plain_function
from ast_ad.errors import SourceError


@pytest.fixture
def load(tmp_path):
    """Import a text as a module from a file, and rewrite that file."""
    count = iter(range(100))

    def load(text):
        path = tmp_path / f"module{next(count)}.py"
        path.write_text(textwrap.dedent(text))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


def edit(module, text):
    path = module.__file__
    with open(path, "w") as file:
        file.write(textwrap.dedent(text))
    os.utime(path, ns=(1, 1))


def body(source):
    node = source.tree.body if source.is_lambda else source.tree.body[-1].value
    return gast.unparse(gast.Expression(node)).strip()


def test_a_function(load):
    module = load("""\
        import functools
        @functools.lru_cache
        @functools.cache
        def f(x):
            return x * 2
        """)
    source = find_source(module.f)
    assert (source.name, source.first_line, source.is_lambda, source.class_name) == ("f", 2, False, None)
    assert source.filename == module.__file__ and source.tree.decorator_list == []
    assert source.tree.lineno == 4 and len(source.lines) == 4
    assert source.function is module.f.__wrapped__.__wrapped__
    assert source.text.startswith("@functools.lru_cache")


def test_an_edited_file_is_refused(load):
    module = load("def f(x):\n    return x * 2\n")
    edit(module, "def f(x):\n    return x * 3\n")
    with pytest.raises(SourceError, match="changed since import"):
        find_source(module.f)


def test_a_moved_function_is_refused(load):
    module = load("def f(x):\n    return x * 2\n")
    edit(module, "def g(y):\n    return y\n\ndef f(x):\n    return x * 2\n")
    with pytest.raises(SourceError, match="reload"):
        find_source(module.f)


@pytest.mark.parametrize("new", ["x * True", "x * 1.0", "x * -1", "y * 1"])
def test_constants_and_names_count(load, new):
    module = load("def f(x, y):\n    return x * 1\n")
    edit(module, f"def f(x, y):\n    return {new}\n")
    with pytest.raises(SourceError):
        find_source(module.f)


def test_the_sign_of_zero_counts(load):
    module = load("def f(x):\n    return x, 0.0\n")
    edit(module, "def f(x):\n    return x, -0.0\n")
    with pytest.raises(SourceError):
        find_source(module.f)


def test_an_edit_elsewhere_does_no_harm(load):
    module = load("def f(x):\n    return x in {1, 'a', 'b'}\n")
    edit(module, "def f(x):\n    return x in {1, 'a', 'b'}\n\ndef g(): pass\n")
    assert find_source(module.f).lines[0] == "def f(x):\n"


def test_a_broken_or_lost_file(load):
    module = load("def f(x):\n    return x\ndef g(x):\n    return x\n")
    edit(module, "def f(x:\n")
    with pytest.raises(SourceError, match="changed"):
        find_source(module.f)
    os.remove(module.__file__)
    with pytest.raises(SourceError, match="cannot be read"):
        find_source(module.g)


def test_what_was_found_once_stays_true(load):
    module = load("def f(x):\n    return x * 2\n")
    first = find_source(module.f)
    edit(module, "def f(x):\n    return x * 3\n")
    assert find_source(module.f).tree is first.tree


def test_lambdas_on_one_line(load):
    module = load("f, g, h = lambda x: x + 1, lambda x: x + 2, [lambda x: x + 1][0]\n")
    for function, text in ((module.f, "x + 1"), (module.g, "x + 2"), (module.h, "x + 1")):
        assert body(find_source(function)).strip("()") == text
    columns = [find_source(f).tree.col_offset for f in (module.f, module.g, module.h)]
    assert columns == sorted(set(columns))


def test_nested_lambdas(load):
    module = load("f = lambda x: lambda y: (lambda z: x + y + z)\n")
    assert find_source(module.f).tree.args.args[0].id == "x"
    assert find_source(module.f(1)).tree.args.args[0].id == "y"
    assert find_source(module.f(1)(2)).tree.args.args[0].id == "z"


def test_swapped_lambdas_are_refused(load):
    module = load("f, g = lambda x: x + 1, lambda x: x + 2\n")
    edit(module, "f, g = lambda x: x + 2, lambda x: x + 1\n")
    with pytest.raises(SourceError):
        find_source(module.f)


def test_a_lambda_over_several_lines(load):
    module = load("f = (lambda x:\n     x +\n     1)\n")
    assert body(find_source(module.f)).strip("()") == "x + 1"


def test_conditional_definitions(load):
    module = load("""\
        if True:
            def f(x): return x
        else:
            def f(x): return -x
        def f2(x): return 1; g = lambda: 0
        """)
    assert find_source(module.f).first_line == 2
    assert find_source(module.f2).name == "f2"


def test_methods_and_private_names(load):
    module = load("""\
        class _C:
            def __init__(self): self.__p = 2
            def __m(self, x):
                def inner(y):
                    return self.__p * y
                return inner
            @staticmethod
            def s(x): return x
            @classmethod
            def c(cls, x): return x
        """)
    c = module._C()
    source = find_source(c._C__m)
    assert source.class_name == "_C" and source.tree.name == "__m"
    assert source.mangle("__p") == "_C__p" and source.mangle("__p__") == "__p__" and source.mangle("p") == "p"
    assert find_source(c._C__m(1)).mangle("__q") == "_C__q"
    assert find_source(module._C.s).tree.decorator_list == []
    assert find_source(module._C.c).name == "c" and find_source(module._C.__dict__["s"]).name == "s"
    assert find_source(c._C__m).text.startswith("def __m")


def test_closures_share_one_parse(load):
    module = load("def make(k):\n    def f(x):\n        return k * x\n    return f\n")
    assert find_source(module.make(1)).tree is find_source(module.make(2)).tree


def test_wrappers(load):
    module = load("""\
        import functools
        def twice(fn):
            @functools.wraps(fn)
            def wrapper(*args):
                return 2 * fn(*args)
            return wrapper
        @twice
        def f(x):
            return x
        """)
    assert find_source(module.f).tree.name == "wrapper"
    assert find_source(module.f, follow_wrapped=True).tree.name == "f"


@pytest.mark.slow
def test_numba_dispatchers(load):
    numba = pytest.importorskip("numba")
    module = load("def f(x):\n    return x\n")
    assert plain_function(numba.njit(module.f)) is module.f


def test_equal_code_in_two_files(load):
    text = "def f(x):\n    return x * 2\n"
    one, two = load(text), load(text)
    assert one.f.__code__ == two.f.__code__
    assert find_source(one.f).filename != find_source(two.f).filename


@pytest.mark.parametrize(
    "value, reason",
    [
        (math.sin, "compiled code"),
        (np.sin, "compiled code"),
        (len, "compiled code"),
        (np.dot, "compiled code"),
        (functools.partial(max, 1), "functools.partial"),
        (dict, "class"),
        (3, "not a function"),
        (type("C", (), {"__call__": lambda self: 0})(), "__call__"),
    ],
)
def test_what_has_no_source(value, reason):
    with pytest.raises(SourceError, match=reason):
        find_source(value)


def test_exec_has_no_source():
    space = {}
    exec("def f(x): return x", space)
    with pytest.raises(SourceError, match="exec") as caught:
        find_source(space["f"])
    assert caught.value.fix


def test_text_in_linecache_only():
    text = "from __future__ import annotations\ndef f(x: Unknown):\n    return x * 5\n"
    name = "<ipython-input-7-abc>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {}
    exec(compile(text, name, "exec"), space)
    assert body(find_source(space["f"])).strip("()") == "x * 5"


def test_future_imports_of_an_earlier_cell():
    import __future__

    text = "def f(x: Unknown = 1):\n    return x\n"
    name = "<cell-8>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {}
    exec(compile(text, name, "exec", __future__.annotations.compiler_flag), space)
    assert find_source(space["f"]).name == "f"


@pytest.mark.parametrize("alone", [False, True])
def test_prompts_compile_statement_by_statement(alone):
    """Python calls methods of a name by other instructions where it sees the import in the text."""
    text = """\
import numpy as np
from math import sin
@staticmethod
def f(x):
    return np.sum([sin(v) for v in x])
class C:
    def g(self, x):
        return np.vdot(x, x)
h = [lambda x: np.tanh(x), lambda x: np.tanh(x) + 1]
"""
    name = f"<ipython-input-{alone}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {}
    statements = [[s] for s in ast.parse(text).body] if alone else [ast.parse(text).body]
    for body_ in statements:
        exec(compile(ast.Module(body_, []), name, "exec"), space)
    assert find_source(space["f"].__func__).first_line == 3
    assert find_source(space["C"].g).class_name == "C"
    assert [body(find_source(h)).strip("()") for h in space["h"]] == ["np.tanh(x", "np.tanh(x) + 1"]


def run(arguments, **options):
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    done = subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        env={**os.environ, "PYTHONPATH": here},
        capture_output=True,
        text=True,
        **options,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


PROGRAM = """
from ast_ad.errors import SourceError
from ast_ad.compiler.frontend.source.functions import find_source
def f(x):
    return x + 2  # ä
print(find_source(f).first_line, [(lambda x: x, lambda x: -x)[i] for i in (0, 1)] and find_source(f).name)
exec("\\n\\n\\ndef f(x):\\n    return x + 3")
try:
    print(find_source(f).text)
except SourceError as error:
    print(error.construct, "exec" in error.why)
"""
SAID = "4 f\nthe source of `f` is not available True\n"


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["-c"], ["-Bc"], ["-W", "default", "-s", "-c"], ["-Xutf8", "-c"]])
def test_the_text_of_a_command(arguments):
    assert run([*arguments, PROGRAM, "-c", "pass"]) == SAID


@pytest.mark.slow
def test_a_text_joined_to_its_flag():
    assert run([f"-Bc{PROGRAM}", "-c", "pass"]) == SAID


@pytest.mark.slow
def test_a_program_on_standard_input(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    with path.open() as file:
        assert run([], stdin=file) == SAID
    path.write_bytes(b"# coding: latin-1" + PROGRAM.encode("latin-1"))
    with path.open() as file:
        assert run(["-", "argument"], stdin=file) == SAID


@pytest.mark.slow
def test_a_pipe_keeps_no_text():
    program = PROGRAM.replace("print(find_source(f).first_line", "0 and (0")
    said = "the source of `f` is not available True\n"
    assert run([], input=program) == run(["-"], input=program) == said


@pytest.mark.slow
def test_data_on_standard_input_is_no_program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(
        PROGRAM.replace("<", "(").replace("exec(", "exec(compile(").replace('3")', '3", "<stdin>", "exec"))')
    )
    data = tmp_path / "data"
    for text in (b"\x00\xff" * 100, b"", b"1.0\n2.0\n", b"\n\n\ndef f(x):\n    return x + 4\n"):
        data.write_bytes(text)
        with data.open() as file:
            assert run([str(path)], stdin=file) == SAID
    assert run([str(path)], stdin=subprocess.DEVNULL) == SAID


def test_warnings_of_the_text_are_not_given_again(load):
    """What Python said when it compiled the file, it said once; as errors they would refuse the text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = load("def f(x):\n    return x, '\\d', x is 1\ng = lambda x: ('\\d', x)\n")
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        assert find_source(module.f).name == "f" and find_source(module.g).is_lambda
    assert not given


def with_assert(x):
    assert x > 0, "positive"
    return x * 2


@pytest.mark.slow
def test_asserts_rewritten_by_pytest():
    assert body(find_source(with_assert)).strip("()") == "x * 2"
    inner = lambda x: x + 1  # noqa: E731
    assert find_source(inner).is_lambda


@pytest.mark.slow
def test_the_cache_does_not_keep_code_alive(load):
    module = load("def f(x):\n    return x\n")
    key = id(module.f.__code__)
    find_source(module.f)
    assert key in source_module._parsed
    del module.f
    gc.collect()
    assert key not in source_module._parsed


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["def f(x):\n    return " + " + ".join(["x"] * 2000), "def f(x):\n" + "    x = x + 1\n" * 2000]
)
def test_deep_and_long_functions(text):
    limit = sys.getrecursionlimit()
    name = f"<deep-{len(text)}>"
    linecache.cache[name] = (len(text), None, (text + "\n").splitlines(True), name)
    from ast_ad.deep import run_deep

    space = {}
    exec(run_deep(compile, text, name, "exec"), space)
    assert find_source(space["f"]).name == "f"
    assert sys.getrecursionlimit() == limit


@pytest.mark.drawn(of=4)
@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["-O"], ["-OO"], ["-X", "no_debug_ranges"]])
def test_functions_of_the_standard_library(options, tmp_path):
    """Nearly all of the library's functions must be verified, whichever way Python runs."""
    script = tmp_path / "survey.py"
    script.write_text(
        textwrap.dedent("""\
        import argparse, colorsys, inspect, statistics, sys, textwrap, fractions, difflib, heapq
        import numpy.linalg._linalg, numpy.lib._function_base_impl
        from ast_ad.errors import SourceError
        from ast_ad.compiler.frontend.source.functions import find_source
        good = bad = 0
        names = "argparse colorsys statistics textwrap fractions difflib heapq"
        names = [*names.split(), "numpy.linalg._linalg", "numpy.lib._function_base_impl"]
        for module in map(sys.modules.get, names):
            for value in list(vars(module).values()):
                inner = list(vars(value).values()) if inspect.isclass(value) else []
                for f in [value, *inner]:
                    if inspect.isfunction(f) and f.__code__.co_filename == module.__file__:
                        try:
                            assert find_source(f).first_line == f.__code__.co_firstlineno
                            good += 1
                        except SourceError as error:
                            bad += 1
                            print(error)
        print(good, bad)
        assert good > 300 and not bad
        """)
    )
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    done = subprocess.run(
        [sys.executable, *options, str(script)],
        env={**os.environ, "PYTHONPATH": here},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_function_is_no_module_attribute():
    def local(x):
        return x

    assert isinstance(find_source(local).function, types.FunctionType)


# Without columns in Python 3.12, so that the code has to tell which is which.
CONSTANTS = [lambda x: 2.0, lambda x: 3.0, lambda x: (lambda: 5.0)(), lambda x: 2]  # fmt: skip


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ast_ad.ZeroGradientWarning")
def test_lambdas_of_constants_on_one_line():
    found = [ast_ad.value_and_grad(f, fallback="error")(1.5) for f in CONSTANTS[:3]]
    assert found == [(2.0, 0.0), (3.0, 0.0), (5.0, 0.0)]
