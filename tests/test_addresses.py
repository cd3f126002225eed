"""Are modules found under their earlier addresses, each as one object? Asked in fresh processes."""

import importlib
import pathlib
import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import ast_ad
import ast_ad.torch as torch
from ast_ad.addresses import FAMILIES, MOVED, TORCH, address

RECORDED = pathlib.Path(__file__).parent / "addresses_recorded"
PAIRS = """
from importlib import import_module
pairs = [("nn", "torch.nn"), ("nn.functional", "torch.nn.functional"),
         ("nn.modules.linear", "torch.nn.modules.linear"), ("autograd.graph", "torch.autograd.graph"),
         ("optim.lr_scheduler", "torch.optim.lr_scheduler"), ("linalg", "torch.linalg"),
         ("files", "torch.serialization"), ("kernels.pooling", "rules.loops.pooling"),
         ("rules.nn_losses", "rules.networks.losses"), ("rules.linalg", "rules.numpy.linalg")]
"""


def run(code, before=""):
    command = [sys.executable, "-W", "error", "-c", before + textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("first", ["old", "new"])
def test_one_object(first):
    """Whichever is imported first; the module itself is as the import system has left it."""
    code = f"""
        for old, new in pairs:
            names = ("ast_ad." + old, "ast_ad." + new)
            a, b = map(import_module, names if {first!r} == "old" else names[::-1])
            assert a is b, old
            assert a.__name__ == a.__spec__.name == names[1]
            assert a.__package__ == a.__spec__.parent
        import ast_ad.nn.functional as F
        from ast_ad.nn import functional
        import ast_ad
        assert F is functional is ast_ad.nn.functional is ast_ad.torch.nn.functional
    """
    run(code, PAIRS)


def test_two_threads():
    """One by the old addresses, one by the new."""
    code = """
        import threading
        import ast_ad
        found, start = [], threading.Barrier(2)
        def load(names):
            start.wait()
            found.append([import_module("ast_ad." + name) for name in names])
        old, new = zip(*pairs)
        threads = [threading.Thread(target=load, args=(names,)) for names in (old, new)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        assert len(found) == 2
        assert [id(m) for m in found[0]] == [id(m) for m in found[1]]
    """
    run(code, PAIRS)


def test_reload():
    code = """
        import importlib
        import ast_ad.nn.init as init
        again = importlib.reload(init)
        import ast_ad.torch.nn.init
        assert again is init is ast_ad.torch.nn.init
        assert init.__spec__.name == "ast_ad.torch.nn.init"
    """
    run(code)


def test_every_module_is_walked_once():
    code = """
        import pkgutil, ast_ad
        names = [m.name for m in pkgutil.walk_packages(ast_ad.__path__, "ast_ad.")]
        assert len(names) == len(set(names)) and "ast_ad.torch.nn.functional" in names
        assert not [name for name in names if name.startswith(("ast_ad.nn", "ast_ad.files"))]
        print(len(names))
    """
    assert int(run(code)[0]) > 500


def test_imports_within_functions_warn_of_nothing():
    """Python warns where a module's package is not that of its spec; here warnings are errors."""
    code = """
        import ast_ad.nn, ast_ad.optim, ast_ad.autograd
        x = ast_ad.tensor([1.0, 2.0], requires_grad=True)
        ast_ad.nn.functional.softmax(x, 0).pow(2).sum().backward()
        ast_ad.optim.SGD([x], lr=0.1).step()
    """
    run(code)


def test_addresses_lead_to_modules():
    for old in MOVED:
        assert importlib.import_module(f"ast_ad.{address(old)}")
    for prefix, family in FAMILIES.items():
        assert address(prefix + "x") == family + "x"


def test_what_earlier_versions_pickled():
    """A network, tensors, classes and a derivative; written before the modules moved."""
    with open(RECORDED / "earlier.pickle", "rb") as file:
        found = pickle.load(file)
    assert isinstance(found["module"], torch.nn.Sequential)
    assert found["gradient"](2.0) == 12.0
    assert found["class"] is torch.nn.functional.relu
    assert found["scheduler_class"] is torch.optim.lr_scheduler.StepLR
    assert found["function"] is torch.autograd.Function
    weights = ast_ad.load(RECORDED / "earlier.pth")["net"]
    assert np.array_equal(weights["0.weight"].numpy(), found["module"][0].weight.detach().numpy())
    found["module"].load_state_dict(weights)


def test_names_are_those_of_torch_but_for_the_compiler_s_own():
    """``import ast_ad as torch`` has the same objects; these are all the names in which the two differ."""
    names = dir(torch)
    assert set(TORCH) <= set(names)
    differ = {name for name in names if getattr(ast_ad, name, None) is not getattr(torch, name)}
    assert differ == {"fft", "serialization", "vmap"}
    for name in torch.ONLY_HERE - differ:
        assert not hasattr(torch, name), "no stubs"
