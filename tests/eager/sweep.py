"""What does every public function make of tensors without dimensions, of one element, of none, and of others?

Each function that PyTorch has too is called with a few patterns of arguments; the patterns that PyTorch
accepts for some operands are kept. `python -m tests.eager.sweep` records it anew with PyTorch, which nothing
else here needs: run it where both can be imported. `python -m tests.eager.sweep known` writes down where we
differ.
"""

import json
import os
import sys
from pathlib import Path

from .observed import alike, observe

FILE = Path(__file__).parent / "recorded" / "sweep.json"
KNOWN = FILE.with_name("sweep_known.json")
OPERANDS = (
    "L()", "L(1)", "L(0)", "L(3)", "L(2,2)", "L(0,2)", "L(2,2).T", "L(2,2,d='complex128')", "X(2,d='int64')",
    "X(2,d='bool')", "L(2,d='float32')",
)  # fmt: skip
PATTERNS = (
    "{f}({x})",
    "{f}({x},dim=-1)",
    "{f}({x},dim=0,keepdim=True)",
    "{f}({x},2)",
    "{f}({x},X(2))",
    "{f}({x},{x})",
    "{f}({x},{x},{x})",
    "{f}([{x},{x}])",
    "{f}({x},0,0)",
    "{f}({x},out=torch.zeros(0,dtype=torch.float64))",
)
METHODS = "{x}.{f}()", "({x}*1).{f}()", "{x}.{f}(0)", "{x}.{f}({x})", "({x}*1).{f}({x})"
NAMESPACES = "", "linalg.", "special.", "nn.functional."
# Random numbers and memory that is not set; settings; what has no answer as data.
LEFT_OUT = set(
    """
    rand randn randint randperm bernoulli multinomial poisson normal rand_like randn_like randint_like
    dropout alpha_dropout feature_alpha_dropout dropout1d dropout2d dropout3d rrelu rrelu_ gumbel_softmax
    fractional_max_pool2d fractional_max_pool3d fractional_max_pool2d_with_indices
    fractional_max_pool3d_with_indices empty empty_like empty_strided empty_permuted pca_lowrank
    svd_lowrank new_empty new_empty_strided uniform_ normal_ exponential_ geometric_ cauchy_ log_normal_
    random_ bernoulli_ resize_ resize_as_ seed manual_seed initial_seed set_rng_state get_rng_state
    set_default_dtype set_printoptions set_grad_enabled set_warn_always from_numpy as_tensor tensor
    Tensor Generator compile scaled_dot_product_attention share_memory_ numpy storage untyped_storage
    data_ptr backward register_hook register_post_accumulate_grad_hook retain_grad __array__
    requires_grad_ pin_memory cuda apply_ map_ map2_ eig svd eigh qr lobpcg geqrf
    """.split()
)


def names(module):
    """The functions of all namespaces, and the methods, that both libraries have."""
    import ast_ad
    from ast_ad.eager.namespace import NAMES

    for space in NAMESPACES:
        there, here = module, ast_ad
        for part in filter(None, space.split(".")):
            there, here = getattr(there, part), getattr(here, part)
        for name in sorted(NAMES if not space else dir(here)):
            if name[0] != "_" and name not in LEFT_OUT and is_function(getattr(there, name, None)):
                yield "torch." + space + name, PATTERNS
    for name in sorted(dir(ast_ad.Tensor)):
        if name[0] != "_" and name not in LEFT_OUT and callable(getattr(module.Tensor, name, None)):
            yield name, METHODS


def is_function(f):
    return callable(f) and not isinstance(f, type)


def expressions(name, pattern):
    return [pattern.replace("{f}", name).replace("{x}", x) for x in OPERANDS]


def outcome(module, expression):
    """What is kept of an observation: dtypes, shapes, values and gradients, or nothing of a refusal."""
    found = observe(module, expression)
    if "error" in found:
        return None
    kept = [
        [t["dtype"].removeprefix("torch."), t["shape"], t["values"]] if isinstance(t, dict) else t
        for t in found["shown"]
    ]
    return json.loads(json.dumps([kept, found["grads"]]), parse_float=_shortened)


def _shortened(text):
    return float(f"{float(text):.11g}")


def as_observed(kept):
    """The observation of which an outcome was kept."""
    if kept is None:
        return {"error": "RuntimeError"}
    shown = [_tensor(*t) if isinstance(t, list) else t for t in kept[0]]
    return {"shown": shown, "grads": kept[1]}


def _tensor(dtype, shape, values):
    return {"dtype": f"torch.{dtype}", "shape": shape, "values": values}


def differences(key, kept):
    """The operands for which we do something else than PyTorch, and what: accept, refuse or differ."""
    import ast_ad

    name, _, pattern = key.partition(" ")
    rounding = 1e-5 if "out=" in pattern else None  # of single precision, written to double
    found = {}
    for x, expression, each in zip(OPERANDS, expressions(name, pattern), kept, strict=True):
        got = json.loads(json.dumps(observe(ast_ad, expression)))
        if not alike(got, as_observed(each), rounding):
            found[x] = "refuses" if "error" in got else "accepts" if each is None else "differs"
    return found


def record():
    """Write the file, with PyTorch: each function in a process of its own, for some end it."""
    import torch

    torch.set_num_threads(1)
    lines = []
    for name, patterns in names(torch):
        for pattern, found in _in_a_process(torch, name, patterns):
            lines.append(f"{json.dumps(f'{name} {pattern}')}: {json.dumps(found, separators=(',', ':'))}")
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def _in_a_process(torch, name, patterns):
    """The patterns that are accepted, with their outcomes; if the process ends, pattern by pattern."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        outcomes = [(p, [outcome(torch, e) for e in expressions(name, p)]) for p in patterns]
        with os.fdopen(write, "w") as file:
            json.dump([(p, found) for p, found in outcomes if any(found)], file)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        text = file.read()
    if not os.waitpid(child, 0)[1]:
        return json.loads(text)
    return [each for p in patterns for each in _in_a_process(torch, name, [p])] if len(patterns) > 1 else []


def note_differences():
    """Write down where we differ."""
    found = {key: differences(key, kept) for key, kept in json.loads(FILE.read_text()).items()}
    lines = [f"{json.dumps(key)}: {json.dumps(each)}" for key, each in found.items() if each]
    KNOWN.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    note_differences() if "known" in sys.argv else record()
