"""Is each parameter of a function on tensors read by its body? One that isn't is a promise not kept."""

import ast
import pathlib

import ast_ad

PACKAGE = pathlib.Path(ast_ad.__file__).parent
FOLDERS = "eager", "nn/functional"

# Parameters that mean nothing here, in whatever function.
EVERYWHERE = {
    "device": "there is one device",
    "pin_memory": "there is one device",
    "non_blocking": "there is one device",
    "layout": "all tensors are dense and strided",
    "sparse_grad": "all gradients are dense",
    "sparse": "all gradients are dense",
    "masked_grad": "all gradients are dense",
    "memo": "Python's protocol of copies",
    "protocol": "Python's protocol of pickling",
    "tensor_contents": "PyTorch's signature of printing",
}
# function -> parameter -> why it is not read
ONCE = {
    "argsort": {"stable": "the order is always a stable one"},
    "topk": {"sorted": "an order is allowed where none is asked for"},
    "cdist": {"compute_mode": "how distances are computed does not change them"},
    "resize_": {"memory_format": "elements that are new are arbitrary"},
    "resize_as_": {"memory_format": "elements that are new are arbitrary"},
    "expand": {"implicit": "PyTorch does not read it either"},
    "compile": {"options": "there is nothing to choose"},
    "is_autocast_enabled": {"device_type": "there is one device"},
    "is_conj": {"input": "conjugates are computed at once"},
    "is_neg": {"input": "negatives are computed at once"},
    "array_function": {"types": "NumPy's protocol"},
    "new_tensor": {"kwargs": "of a subclass, which reads them in __init__"},
    "__call__": {"kwargs": "device= only"},
}


# Options of rules that a derivative does not read: parameter -> why.
OF_RULES = {
    "dtype": "cotangents are fitted to the dtype of what they belong to, in one place",
    "attribute": "what an error names that None has not",
    "check_finite": "a check of the arguments, which the primal makes",
    "workers": "how many threads compute",
    "kind": "which algorithm sorts; the result tells the order",
    "optimize": "in which order products are computed",
    "lapack_driver": "which algorithm computes",
    "order": "how the result lies in memory",
    "requirements": "how the result lies in memory",
    "subok": "arrays of subclasses are refused",
    "writeable": "whether the result may be written to",
    "casting": "what may be converted; the conversion is that of the arguments",
    "copy": "a copy and a view have one derivative",
    "sparse": "all gradients are dense; a sparse meshgrid broadcasts back",
    "inplace": "programs of arrays have no side effects",
    "_stacklevel": "where a warning points to",
    "n": "the length of the cotangent tells it",
    "N": "the width of the cotangent tells it",
    "s": "the shape of the cotangent tells it",
    "shape": "the shape of the cotangent tells it",
    "minlength": "the shape of the cotangent tells it",
    "length": "the shape of the cotangent tells it",
    "axis": "the shape of the argument tells it",
    "keepdims": "the shape of the cotangent tells it",
    "bias": "a shape does not depend on it",
    "dilation": "a shape function is given what its operation is; not all of it matters",
    "padding": "as dilation",
    "stride": "as dilation",
    "output_padding": "as dilation",
    "value": "the padding is constant",
    "b_ih": "the result tells all that is needed of an added bias",
    "b_hh": "the result tells all that is needed of an added bias",
    "rcond": "the result tells which singular values count",
    "rtol": "as rcond",
    "atol": "as rcond",
    "lower": "the cotangent is symmetric",
    "UPLO": "the cotangent is symmetric",
    "nan": "where it is put, the derivative is zero",
    "posinf": "as nan",
    "neginf": "as nan",
    "x": "a selection passes its cotangent on, whatever its values",
    "y": "as x",
    "real": "complex numbers are linear in their parts",
    "imag": "complex numbers are linear in their parts",
    "by_frequency": "a cotangent is scaled elsewhere",
    "norm_type": "with max_norm, which is refused",
    "padding_idx": "the cotangent of that row is cut off elsewhere",
    "is_causal": "the weights tell it: they are zero",
    "places": "of the forward kernel only",
    "initial": "if it is the result, no element equals that",
    "k": "the result tells the branch",
    "discont": "the result tells the jumps",
    "descending": "the indices tell the order",
    "largest": "the indices tell the order",
    "decimals": "rounding is flat",
    "name": "what an error calls the function",
    "fix": "what an error advises",
}


def unread(path):
    """The functions of a module, each with the parameters that its body does not read."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.FunctionDef) or only_raises(node):
            continue
        a = node.args
        given = [*a.posonlyargs, *a.args, *a.kwonlyargs, *(x for x in (a.vararg, a.kwarg) if x)]
        read = {n.id for part in node.body for n in ast.walk(part) if isinstance(n, ast.Name)}
        yield node, [p.arg for p in given if p.arg not in read and p.arg not in ("self", "cls")]


def only_raises(node):
    return all(isinstance(part, (ast.Raise, ast.Pass, ast.Expr)) for part in node.body)


def public(node):
    return node.name == "run" or any(
        getattr(d.func if isinstance(d, ast.Call) else d, "id", "") in DECORATORS for d in node.decorator_list
    )


DECORATORS = {"function", "method", "linalg", "functional", "numpy_names", "fft", "special"}


def test_every_parameter_is_read():
    missed = []
    for folder in FOLDERS:
        for path in sorted((PACKAGE / folder).glob("*.py")):
            for node, names in unread(path):
                for name in names if public(node) else ():
                    if name not in EVERYWHERE and name not in ONCE.get(node.name, {}):
                        missed.append(f"{path.relative_to(PACKAGE)}:{node.lineno}: {node.name}({name}=)")
    assert not missed, "accepted and never read:\n" + "\n".join(missed)


def test_the_check_sees_what_it_is_for(tmp_path):
    path = tmp_path / "example.py"
    path.write_text(
        "@function()\ndef f(a, b, *, c=1, **d):\n    return a + c\n\ndef g(x):\n    raise ValueError\n"
    )
    assert [(node.name, names) for node, names in unread(path)] == [("f", ["b", "d"])]
    assert [public(node) for node, _ in unread(path)] == [True]


def optional(node):
    """The parameters that a call may leave away."""
    a = node.args
    given = [*a.posonlyargs, *a.args]
    found = [*given[len(given) - len(a.defaults) :], *a.kwonlyargs, *([a.kwarg] if a.kwarg else [])]
    return {p.arg for p in found}


def test_every_option_of_a_rule_is_read_or_does_not_matter():
    missed = []
    for path in sorted((PACKAGE / "rules").glob("*.py")):
        for node, names in unread(path):
            for name in names:
                if name in optional(node) and name not in OF_RULES:
                    missed.append(f"rules/{path.name}:{node.lineno}: {node.name}({name}=)")
    assert not missed, "accepted and never read:\n" + "\n".join(missed)
