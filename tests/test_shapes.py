"""Do the docstrings of tensors and networks tell shapes, and are they the shapes that come out?

A docstring has signatures such as ``(..., m, n), (..., n, k) -> (..., m, k)``: each is read, called with a
length for every letter, and compared. A clause (up to a semicolon) may set options before a signature, as
``dim=-1``; definitions (``L_out = ...``) hold in the whole text, and for other
axes with the letters exchanged.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

import ast_ad
import ast_ad.torch.nn.functional as F
from ast_ad import nn
from ast_ad.torch import linalg

LENGTHS = dict(
    N=3, C=4, O=6, L=11, D=7, H=8, W=9, K=3, KD=2, KH=3, KW=2, I=5, J=6, T=6, S=4, E=8, V=5, B=4,
    m=5, n=4, k=3, l=2, a=2, b=3, c=4, d=5, i=2, j=3, q=3,
)  # fmt: skip
TOKEN = re.compile(r"as of ``(\w+)``|``([^`]*)``|;")


# ----- what a docstring says -----


@dataclass
class Told:
    """The signatures of a docstring with their options, what defines lengths, and what else holds."""

    signatures: list[tuple[dict[str, str], str]] = field(default_factory=list)
    definitions: dict[str, str] = field(default_factory=dict)
    may_be_missing: bool = False
    broadcasts: bool = False


def told(of: Any) -> Told:
    paragraphs = [" ".join(p.split()) for p in (inspect.getdoc(of) or "").split("\n\n") if ">>>" not in p]
    text = "; ".join(p for p in paragraphs if " -> " in p or "as of ``" in p)
    found = Told(may_be_missing="``N`` may be missing" in text, broadcasts="broadcast" in text)
    options: dict[str, str] = {}
    for like, code in (match.groups() for match in TOKEN.finditer(text)):
        if like:
            other = told(getattr(F, like, None))
            found.definitions |= other.definitions
            found.may_be_missing |= other.may_be_missing
        elif code is None:
            options = {}
        elif " -> " in code:
            found.signatures.append((dict(options), code))
        elif option := re.fullmatch(r"(\w+)=(\S.*)", code):
            options[option[1]] = option[2]
        elif definition := re.fullmatch(r"(\w+) = (.+)", code):
            found.definitions[definition[1]] = definition[2]
    return found


def split(text: str) -> list[str]:
    """The parts between the commas that stand in no parentheses.

    >>> split("(a, b), min(m, n)")
    ['(a, b)', 'min(m, n)']
    """
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == "," and not depth:
            parts.append(text[start:i])
            start = i + 1
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]


class Lengths(dict[str, Any]):
    """What a length in a signature is: that of a letter, an argument, or what a definition says."""

    def __init__(self, known: dict[str, Any], definitions: dict[str, str]) -> None:
        super().__init__({name: value for name, value in known.items() if name not in definitions})
        self.definitions = definitions

    def __missing__(self, name: str) -> Any:
        if name in self.definitions:
            return eval(self.definitions[name], {"int": int, "min": min}, self)
        if name.endswith("_out"):  # of H and KH, as another of W and KW
            of, text = next((k[:-4], v) for k, v in self.definitions.items() if k.endswith("_out"))
            text = re.sub(rf"\bK{of}\b", f"K{name[:-4]}", text)
            return eval(re.sub(rf"\b{of}\b", name[:-4], text), {"int": int, "min": min}, self)
        raise KeyError(name)

    def shape(self, group: str, batch: tuple[int, ...]) -> tuple[int, ...]:
        found: list[int] = []
        for item in split(group[1:-1]):
            if item == "...":
                found += batch
            elif item.startswith("*"):
                found += eval(item[1:], {}, self)
            else:
                found.append(eval(item, {"min": min}, self))
        return tuple(found)


# ----- how each is called -----


@dataclass
class Case:
    """How a function is called.

    ``kw``: further arguments, perhaps made of the lengths; ``make``: the inputs, by position, that are no
    random numbers; ``lengths``: where the usual ones don't do; ``call``: where inputs aren't passed one by
    one; ``most``, ``least``: how many dimensions ``...`` has; ``same_rank``: the inputs have equally many.
    """

    kw: Callable[[Any], dict[str, Any]] | dict[str, Any] = field(default_factory=dict)
    make: dict[int, Callable[[tuple[int, ...], Any], Any]] = field(default_factory=dict)
    lengths: dict[str, Any] = field(default_factory=dict)
    call: Callable[[Any, list[Any], dict[str, Any]], Any] | None = None
    most: int = 2
    least: int = 0
    same_rank: bool = False


def numbers(shape: tuple[int, ...], known: Any = None) -> Any:
    return ast_ad.rand(shape) * 0.5 + 0.25


def below(count: str | int) -> Callable[[tuple[int, ...], Any], Any]:
    """Integers below a length."""
    return lambda shape, known: ast_ad.randint(0, known[count] if isinstance(count, str) else count, shape)


def signs(shape: tuple[int, ...], known: Any) -> Any:
    return ast_ad.randint(0, 2, shape) * 2 - 1


def definite(shape: tuple[int, ...], known: Any) -> Any:
    return ast_ad.eye(shape[-1]) * 3 + ast_ad.zeros(shape)


def invertible(shape: tuple[int, ...], known: Any) -> Any:
    return ast_ad.eye(shape[0] * shape[1]).reshape(shape)


def together(fn: Any, inputs: list[Any], kw: dict[str, Any]) -> Any:
    """All inputs as one list."""
    return fn(inputs, **kw)


def apart(fn: Any, inputs: list[Any], kw: dict[str, Any]) -> Any:
    """By position, without regard to the names of parameters."""
    return fn(*inputs, **kw)


def sized(fn: Any, inputs: list[Any], kw: dict[str, Any]) -> Any:
    """With a shape, which is the argument ``size``, behind the first input."""
    return fn(inputs[0], *kw["size"])


def counted(shape: tuple[int, ...], known: Any) -> Any:
    return ast_ad.arange(shape[0])


CLASSES = {1: below("C")}
CASES: dict[str, Case] = {
    # functions of networks
    **{f"conv{r}d": Case({"stride": 2, "padding": 1, "dilation": 2, "groups": 2}) for r in (1, 2, 3)},
    **{
        f"conv_transpose{r}d": Case({"stride": 2, "padding": 1, "output_padding": 1, "groups": 2})
        for r in (1, 2, 3)
    },
    **{
        f"max_pool{r}d": Case({"kernel_size": 3, "stride": 2, "padding": 1, "dilation": 2}) for r in (1, 2, 3)
    },
    **{f"avg_pool{r}d": Case({"kernel_size": 3, "stride": 2, "padding": 1}) for r in (1, 2, 3)},
    **{f"lp_pool{r}d": Case({"norm_type": 2, "kernel_size": 3, "stride": 2}) for r in (1, 2, 3)},
    **{f"max_unpool{r}d": Case({"kernel_size": 2}, {1: below(8)}) for r in (1, 2, 3)},
    **{
        f"adaptive_{kind}_pool{r}d": Case({"output_size": (2, 3, 4)[:r] if r > 1 else 2})
        for r in (1, 2, 3)
        for kind in ("avg", "max")
    },
    "batch_norm": Case(),
    "instance_norm": Case(most=2),
    "group_norm": Case({"num_groups": 2}),
    "layer_norm": Case({"normalized_shape": (2, 5)}),
    "rms_norm": Case({"normalized_shape": (2, 5)}),
    "local_response_norm": Case({"size": 2}),
    "embedding": Case(make={0: below("V")}),
    "one_hot": Case({"num_classes": 9}, {0: below(9)}),
    "embedding_bag": Case(
        make={0: below("V"), 2: lambda shape, known: ast_ad.arange(shape[0])}, lengths={"L": 6}
    ),
    "multi_head_attention_forward": Case(
        lambda n: {
            "embed_dim_to_check": n["E"],
            "num_heads": 2,
            "in_proj_weight": numbers((3 * n["E"], n["E"])),
            "in_proj_bias": None,
            "bias_k": None,
            "bias_v": None,
            "add_zero_attn": False,
            "dropout_p": 0.0,
            "out_proj_weight": numbers((n["E"], n["E"])),
            "out_proj_bias": None,
        },
        lengths={"H": 2},
    ),
    "pad": Case({"pad": (2, 1)}),
    **{
        name: Case({"scale_factor": 2.5})
        for name in ("interpolate", "upsample", "upsample_nearest", "upsample_bilinear")
    },
    "pixel_shuffle": Case({"upscale_factor": 2}),
    "pixel_unshuffle": Case({"downscale_factor": 2}),
    "channel_shuffle": Case({"groups": 2}, least=1),
    "unfold": Case(lambda n: {"kernel_size": (n["KH"], n["KW"]), "padding": 1, "stride": 2}),
    "fold": Case(
        lambda n: {
            "output_size": (n["H"], n["W"]),
            "kernel_size": (n["KH"], n["KW"]),
            "padding": 1,
            "stride": 2,
        }
    ),
    "affine_grid": Case(
        lambda n: {
            "size": (n["N"], 2, n["D"], n["H"], n["W"])
            if "3, 4" in n["signature"]
            else (n["N"], 2, n["H"], n["W"])
        }
    ),
    "prelu": Case(),
    "softmax": Case({"dim": -1}),
    "softmin": Case({"dim": -1}),
    "log_softmax": Case({"dim": -1}),
    "gumbel_softmax": Case(least=1),
    "normalize": Case(),
    "dropout2d": Case(),
    "feature_alpha_dropout": Case(),
    "nll_loss": Case(make=CLASSES),
    "cross_entropy": Case(make=CLASSES),
    "ctc_loss": Case(
        make={
            1: lambda s, n: ast_ad.randint(1, n["C"], s),
            2: lambda s, n: ast_ad.full(s, n["T"]),
            3: lambda s, n: ast_ad.full(s, n["S"]),
        },
        lengths={"T": 12},
    ),
    "multi_margin_loss": Case(make=CLASSES),
    "multilabel_margin_loss": Case(make=CLASSES),
    "cosine_embedding_loss": Case(make={2: signs}),
    "hinge_embedding_loss": Case(make={1: signs}),
    # torch.linalg
    "cross": Case(same_rank=True),
    "cholesky": Case(make={0: definite}),
    "cholesky_ex": Case(make={0: definite}),
    "lstsq": Case({"driver": "gelsd"}),
    "matrix_power": Case({"n": 3}),
    "solve": Case(make={0: definite}),
    "solve_triangular": Case({"upper": True}, {0: definite}),
    "multi_dot": Case(call=together),
    "tensorinv": Case(make={0: invertible}),
    "tensorsolve": Case(make={0: invertible}),
}

PLACES = {1: below(2)}
COMPLEX = {0: lambda shape, known: ast_ad.complex(numbers(shape), numbers(shape))}
LAYER = {"d_model": 8, "nhead": 2, "dim_feedforward": 4}
OPERATIONS: dict[str, Case] = {
    **{name: Case(call=together)
       for name in ("cat", "stack", "hstack", "vstack", "dstack", "column_stack", "multi_dot")},
    **{name: Case(call=apart)
       for name in ("block_diag", "meshgrid", "cartesian_prod", "broadcast_tensors", "chain_matmul")},
    **{name: Case({"dim": 0}, least=1)
       for name in ("cumsum", "cumprod", "logcumsumexp", "cummax", "cummin")},
    **{name: Case({"size": (2, 3)}, lengths={"a": 2, "b": 3}, call=sized) for name in ("view", "reshape")},
    "expand": Case({"size": (5, 4)}, call=sized), "broadcast_to": Case({"size": (5, 4)}),
    "unflatten": Case({"sizes": (2, 3)}), "topk": Case({"k": 3}),
    "kthvalue": Case({"k": 2}), "histc": Case({"bins": 7}),
    "bucketize": Case(make={1: lambda shape, known: ast_ad.arange(float(shape[0]))}),
    "einsum": Case(call=lambda fn, inputs, kw: fn(kw["equation"], *inputs)),
    "flip": Case({"dims": (0,)}, least=1), "fliplr": Case(least=2), "flipud": Case(least=1),
    "roll": Case({"shifts": 1}), "tril": Case(least=2), "triu": Case(least=2), "rot90": Case({"k": 1}),
    "index_select": Case(make=PLACES), "index_add": Case(make=PLACES),
    "index_copy": Case(make={1: counted}),
    "index_reduce": Case({"reduce": "mean"}, PLACES), "index_fill": Case({"value": 1.0}, PLACES),
    "select": Case({"index": 0}), "narrow": Case({"start": 1, "length": 2}),
    "where": Case(make={0: lambda shape, known: numbers(shape) > 0.5}),
    "gather": Case(make=PLACES), "scatter": Case(make=PLACES), "scatter_add": Case(make=PLACES),
    "scatter_reduce": Case({"reduce": "sum"}, PLACES), "take_along_dim": Case(make=PLACES),
    "take": Case(make=PLACES), "put": Case(make=PLACES), "select_scatter": Case({"index": 0}),
    "vander": Case({"N": 4}), "renorm": Case({"p": 2, "dim": 0, "maxnorm": 1.0}, least=2),
    "unfold": Case({"size": 2, "step": 2}), "view_as_real": Case(make=COMPLEX),
    "cross": Case({"dim": -1}, same_rank=True),
    **{name: Case(least=1) for name in ("std", "var", "std_mean", "var_mean")},  # one number has none
}  # fmt: skip
MODULES: dict[str, Case] = {
    "Linear": Case({"in_features": 4, "out_features": 5}),
    "Bilinear": Case({"in1_features": 4, "in2_features": 5, "out_features": 6}),
    **{f"Conv{r}d": Case({"in_channels": 4, "out_channels": 6, "kernel_size": 3, "stride": 2, "padding": 1})
       for r in (1, 2, 3)},
    **{f"ConvTranspose{r}d": Case({"in_channels": 4, "out_channels": 6, "kernel_size": 3, "stride": 2,
                                   "padding": 1, "output_padding": 1}) for r in (1, 2, 3)},
    **{f"MaxPool{r}d": CASES[f"max_pool{r}d"] for r in (1, 2, 3)},
    **{f"AvgPool{r}d": CASES[f"avg_pool{r}d"] for r in (1, 2, 3)},
    **{f"LPPool{r}d": CASES[f"lp_pool{r}d"] for r in (1, 2, 3)},
    **{f"MaxUnpool{r}d": CASES[f"max_unpool{r}d"] for r in (1, 2, 3)},
    **{f"Adaptive{kind}Pool{r}d": CASES[f"adaptive_max_pool{r}d"]
       for r in (1, 2, 3) for kind in ("Avg", "Max")},
    **{f"{kind}Norm{r}d": Case({"num_features": 4}) for r in (1, 2, 3) for kind in ("Batch", "Instance")},
    "LayerNorm": CASES["layer_norm"], "RMSNorm": CASES["rms_norm"],
    "GroupNorm": Case({"num_groups": 2, "num_channels": 4}), "LocalResponseNorm": Case({"size": 2}),
    "PReLU": Case({"num_parameters": 4}), "Softmax": Case({"dim": -1}), "Softmin": Case({"dim": -1}),
    "LogSoftmax": Case({"dim": -1}), "Unflatten": Case({"dim": 1, "unflattened_size": (3, 4)}),
    "NLLLoss": CASES["nll_loss"], "CrossEntropyLoss": CASES["cross_entropy"], "CTCLoss": CASES["ctc_loss"],
    "MultiMarginLoss": Case(make=CLASSES), "MultiLabelMarginLoss": Case(make=CLASSES),
    "CosineEmbeddingLoss": Case(make={2: signs}), "HingeEmbeddingLoss": Case(make={1: signs}),
    **{name: Case({"input_size": 4, "hidden_size": 5, "num_layers": 1}) for name in ("RNN", "GRU", "LSTM")},
    **{name: Case({"input_size": 4, "hidden_size": 5}) for name in ("RNNCell", "GRUCell", "LSTMCell")},
    "Embedding": Case({"num_embeddings": 5, "embedding_dim": 3}, {0: below(5)}),
    "EmbeddingBag": Case({"num_embeddings": 5, "embedding_dim": 3}, {0: below(5), 1: counted}, {"L": 6}),
    "MultiheadAttention": Case({"embed_dim": 8, "num_heads": 2}),
    "TransformerEncoderLayer": Case(LAYER), "TransformerDecoderLayer": Case(LAYER),
    "TransformerEncoder": Case(
        lambda n: {"encoder_layer": nn.TransformerEncoderLayer(**LAYER), "num_layers": 1}, lengths=LAYER
    ),
    "TransformerDecoder": Case(
        lambda n: {"decoder_layer": nn.TransformerDecoderLayer(**LAYER), "num_layers": 1}, lengths=LAYER
    ),
    "Transformer": Case({**LAYER, "num_encoder_layers": 1, "num_decoder_layers": 1}),
    **{name: Case({"scale_factor": 2})
       for name in ("Upsample", "UpsamplingNearest2d", "UpsamplingBilinear2d")},
    "PixelShuffle": Case({"upscale_factor": 2}, lengths={"r": 2}),
    "PixelUnshuffle": Case({"downscale_factor": 2}),
    "ChannelShuffle": Case({"groups": 2}, least=1), "Unfold": CASES["unfold"], "Fold": CASES["fold"],
}  # fmt: skip


# ----- running -----


def inputs_of(shapes: Sequence[tuple[int, ...]], case: Case, known: Any) -> list[Any]:
    return [case.make.get(i, numbers)(shape, known) for i, shape in enumerate(shapes)]


def results(value: Any) -> list[tuple[int, ...]]:
    """The shapes of what came out; of a pair of states that of the first."""
    parts = value if isinstance(value, tuple) and not isinstance(value, ast_ad.Size) else (value,)
    return [tuple((part[0] if isinstance(part, tuple) else part).shape) for part in parts]


def batches(
    signature: str, case: Case, broadcasts: bool
) -> Iterator[tuple[list[tuple[int, ...]], tuple[int, ...]]]:
    """What stands for ``...`` in each input, and in the results."""
    count = len(split(signature.partition(" -> ")[0]))
    if "..." not in signature:
        yield [()] * count, ()
        return
    for rank in range(case.least, case.most + 1):
        yield [(2, 3)[:rank]] * count, (2, 3)[:rank]
    if broadcasts and signature.partition(" -> ")[0].count("...") > 1:
        yield [(2, 1), *[(1, 3)] * (count - 1)], (2, 3)
        if not case.same_rank:
            yield [(3,), *[(2, 1)] * (count - 1)], (2, 3)


def check(
    of: Any,
    case: Case,
    run: Callable[[list[Any], dict[str, Any], dict[str, str], Lengths], Any],
    defaults: dict[str, Any],
) -> None:
    """Compare the shapes of all that ``run`` gives with the signatures in a docstring."""
    what = told(of)
    assert what.signatures, "no shapes"
    for options, signature in what.signatures:
        known = Lengths({**LENGTHS, **defaults, **case.lengths}, what.definitions)
        known["signature"] = signature
        kw = case.kw(known) if callable(case.kw) else dict(case.kw)
        kw.update((name, eval(text)) for name, text in options.items())
        known.update({name: value for name, value in kw.items() if name not in what.definitions})
        if known.get("stride", 1) is None:
            known["stride"] = known["kernel_size"]
        signatures = [signature]
        if what.may_be_missing:
            signatures.append(re.sub(r"\bN, |\(N\)", lambda m: "()" if m[0] == "(N)" else "", signature))
        for one in signatures:
            ins, outs = map(split, one.split(" -> "))
            for each, batch in batches(one, case, what.broadcasts):
                shapes = [known.shape(group, b) for group, b in zip(ins, each, strict=True)]
                found = results(run(inputs_of(shapes, case, known), dict(kw), options, known))
                assert found == [known.shape(group, batch) for group in outs], (one, shapes)


def defaults_of(fn: Any) -> dict[str, Any]:
    parameters = inspect.signature(fn).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}


def check_function(fn: Any, case: Case) -> None:
    names = [p.name for p in inspect.signature(fn).parameters.values() if p.kind != p.VAR_POSITIONAL]

    def run(inputs: list[Any], kw: dict[str, Any], options: dict[str, str], known: Lengths) -> Any:
        if case.call is not None:
            return case.call(fn, inputs, kw)
        free = [name for name in names if name not in kw]
        return fn(**dict(zip(free, inputs, strict=False)), **kw)

    check(fn, case, run, defaults_of(fn))


def check_module(cls: Any, case: Case) -> None:
    def run(inputs: list[Any], kw: dict[str, Any], options: dict[str, str], known: Lengths) -> Any:
        return cls(**kw)(*inputs)

    check(cls, case, run, defaults_of(cls))


# A named pair; not available; what others share; another name of NLLLoss.
NO_SHAPES = {"AdaptiveLogSoftmaxWithLoss", "SyncBatchNorm", "RNNBase", "RNNCellBase", "NLLLoss2d"}
# Functions whose results have the shape of their first argument, element by element: they tell no shapes.
ELEMENTWISE = {
    "celu", "elu", "gelu", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "logsigmoid",
    "mish", "relu", "relu6", "rrelu", "selu", "sigmoid", "silu", "softplus", "softshrink", "softsign", "tanh",
    "tanhshrink",
    "threshold",
}  # fmt: skip


def public(module: Any, names: Sequence[str]) -> list[str]:
    """The functions of a module that aren't elementwise, nor another one in place or with options."""
    found = []
    for name in names:
        fn = getattr(module, name)
        if (
            inspect.isclass(fn)
            or name in ELEMENTWISE
            or name.removesuffix("_") in ELEMENTWISE
            and name.endswith("_")
        ):
            continue
        if not (inspect.getdoc(fn) or "").startswith(f"``{name.removesuffix('_with_indices')}(..."):
            found.append(name)
    return found


def defined(name: str) -> list[str]:
    import importlib

    return importlib.import_module(f"ast_ad.torch.nn.functional.{name}").__all__


FUNCTIONAL = public(F, sorted({name for module in F.DEFINING for name in defined(module)}))
LINALG = public(linalg, linalg.__all__)


@pytest.mark.filterwarnings("ignore:reduction")  # the mean of kl_div
@pytest.mark.parametrize("name", FUNCTIONAL)
def test_functional(name):
    check_function(getattr(F, name), CASES.get(name, Case()))


@pytest.mark.parametrize("name", LINALG)
def test_linalg(name):
    check_function(getattr(linalg, name), CASES.get(name, Case()))


def telling(names: Sequence[str], module: Any) -> list[str]:
    return [name for name in names if told(getattr(module, name)).signatures]


LAYERS = sorted(name for name in dir(nn) if inspect.isclass(getattr(nn, name)))


@pytest.mark.filterwarnings("ignore:reduction")
@pytest.mark.parametrize("name", telling(LAYERS, nn))
def test_modules(name):
    check_module(getattr(nn, name), MODULES.get(name, Case()))


def operations() -> dict[str, Any]:
    """The functions and methods of tensors that tell shapes, by the names under which they are defined."""
    from ast_ad.eager.surface import FUNCTIONS

    every = {**vars(ast_ad.Tensor), **FUNCTIONS}
    functions = {name: fn for name, fn in every.items() if inspect.isfunction(fn)}
    return {name: fn for name, fn in functions.items() if name == fn.__name__ and told(fn).signatures}


TENSORS = operations()


@pytest.mark.parametrize("name", sorted(TENSORS))
def test_operations(name):
    check_function(TENSORS[name], OPERATIONS.get(name, CASES.get(name, Case())))


def test_there_are_shapes():
    """All layers with weights tell shapes, all losses and poolings, and what makes tensors of tensors."""
    words = "Conv", "Pool", "Loss", "Norm", "Cell", "Transformer", "Attention", "Embedding", "Linear", "RNN"
    layers = {name for name in LAYERS if any(word in name for word in words) and "Lazy" not in name}
    assert layers - set(telling(LAYERS, nn)) <= NO_SHAPES
    assert len(TENSORS) > 100
