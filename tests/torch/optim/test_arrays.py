"""Are arrays in dicts trained as tensors are? In place by the classes, and by pure functions."""

import copy
import dataclasses

import numpy as np
import pytest

import ast_ad
from ast_ad import value_and_grad
from ast_ad.torch import optim
from ast_ad.torch.optim import pure

from . import cases


@dataclasses.dataclass
class Layer:
    weight: np.ndarray
    bias: np.ndarray
    kind: str = "tanh"


def nest(dtype="float64"):
    a, b, c, d = (cases.numbers(i, shape, dtype) for i, shape in enumerate([(2, 3), (3,), (), (4,)]))
    return {"layers": [Layer(a, b)], "scale": c, "rest": (d, None), "name": "net"}


def gradients(t, dtype="float64"):
    grads = nest(dtype)
    grads["layers"][0].weight[...] = cases.numbers(t, (2, 3), dtype)
    grads["layers"][0].bias[...] = cases.numbers(t + 0.5, (3,), dtype)
    grads["scale"] = cases.numbers(t + 0.7, (), dtype) if t % 3 else None
    grads["rest"] = (cases.numbers(t + 0.9, (4,), dtype), None) if t % 4 else None
    return grads


def arrays(tree):
    return [tree["layers"][0].weight, tree["layers"][0].bias, tree["scale"], tree["rest"][0]]


RULES = {
    "SGD": (
        pure.sgd,
        [{}, {"momentum": 0.9, "dampening": 0.2, "weight_decay": 0.1}, {"momentum": 0.9, "nesterov": True}],
    ),
    "Adam": (pure.adam, [{}, {"amsgrad": True, "weight_decay": 0.1}, {"maximize": True}]),
    "AdamW": (pure.adamw, [{}]),
    "RMSprop": (pure.rmsprop, [{}, {"momentum": 0.9, "centered": True}]),
    "Adagrad": (pure.adagrad, [{}, {"lr_decay": 0.1, "initial_accumulator_value": 0.5}]),
}
CASES = [(name, options) for name, (_, many) in RULES.items() for options in many]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name,options", CASES)
def test_arrays_in_place_and_pure_agree_with_tensors(name, options, dtype):
    mine, changed = nest(dtype), nest(dtype)
    held = arrays(changed)
    tensors = [ast_ad.tensor(a).requires_grad_() for a in arrays(nest(dtype))]
    functional = RULES[name][0](lr=0.1, **options)
    of_tensors = getattr(optim, name)(tensors, lr=0.1, **options)
    of_arrays = getattr(optim, name)(changed, lr=0.1, **options)
    state = functional.init(mine)
    for t in range(1, 10):
        grads = gradients(t, dtype)
        leaves = [*arrays({**grads, "rest": grads["rest"] or (None,)})]
        for tensor, g in zip(tensors, leaves):
            tensor.grad = None if g is None else ast_ad.tensor(g)
        of_tensors.step()
        of_arrays.step(grads)
        before = copy.deepcopy((mine, state))
        mine_next, state_next = functional.update(grads, state, mine)
        np.testing.assert_equal(arrays(mine), arrays(before[0]))
        np.testing.assert_equal(flat(state), flat(before[1]))
        mine, state = mine_next, state_next
    for tensor, a, b, kept in zip(tensors, arrays(changed), arrays(mine), held):
        assert a is kept and a.dtype == b.dtype == dtype
        np.testing.assert_array_equal(a, tensor.detach().numpy())
        np.testing.assert_array_equal(b, a)
    assert mine["name"] == "net" and mine["layers"][0].kind == "tanh" and state["count"] == 9


def flat(tree):
    from ast_ad.trees import flatten

    return flatten(tree)[0]


def loss(params, x, y):
    hidden = np.tanh(x @ params["w1"] + params["b1"])
    return np.mean((hidden @ params["w2"] - y) ** 2) + params["penalty"] ** 2


def network():
    return {"w1": cases.numbers(1, (2, 5), "float64"), "b1": np.zeros(5),
            "w2": cases.numbers(2, (5,), "float64"), "penalty": 0.5}  # fmt: skip


def test_compiled_training_gives_one_curve_in_all_styles():
    x = cases.numbers(3, (20, 2), "float64")
    y = np.sin(x[:, 0]) * x[:, 1]
    compiled = value_and_grad(loss)
    params, optimizer = network(), pure.adam(0.05)
    state = optimizer.init(params)
    curve = []
    for _ in range(30):
        value, grads = compiled(params, x, y)
        params, state = optimizer.update(grads, state, params)
        curve.append(value)
    assert isinstance(params["penalty"], float) and curve[-1] < 0.3 * curve[0]

    held = {**network(), "penalty": np.array(0.5)}
    in_place = optim.Adam(held, lr=0.05)
    again = [in_place.step(lambda: compiled(held, x, y)) for _ in range(30)]
    np.testing.assert_allclose(again, curve, rtol=1e-12)

    tensors = {name: ast_ad.tensor(np.asarray(value)).requires_grad_() for name, value in network().items()}
    eager = optim.Adam(tensors.values(), lr=0.05)
    for expected in curve:
        eager.zero_grad()
        value = loss(tensors, ast_ad.tensor(x), ast_ad.tensor(y))
        value.backward()
        eager.step()
        assert abs(value.item() - expected) < 1e-12 * abs(expected)


def test_lbfgs_trains_arrays():
    x = cases.numbers(3, (20, 2), "float64")
    y = np.sin(x[:, 0]) * x[:, 1]
    compiled = value_and_grad(loss)
    params = {**network(), "penalty": np.array(0.5)}
    optimizer = optim.LBFGS(params, line_search_fn="strong_wolfe", max_iter=50)
    first = optimizer.step(lambda: compiled(params, x, y))
    assert compiled(params, x, y)[0] < 0.01 * first


def test_schedules():
    params = [np.array([1.0])]
    optimizer = pure.sgd(lr=lambda count: 1.0 / (1 + count))
    state = optimizer.init(params)
    seen = []
    for _ in range(3):
        params, state = optimizer.update([np.ones(1)], state, params)
        seen.append(round(params[0].item(), 12))
    assert seen == [0.0, -0.5, round(-0.5 - 1 / 3, 12)]
    held = [np.array([1.0])]
    stepped = optim.SGD(held, lr=1.0)
    scheduler = optim.lr_scheduler.LambdaLR(stepped, lambda epoch: 1.0 / (1 + epoch))
    for expected in seen:
        stepped.step([np.ones(1)])
        scheduler.step()
        assert round(held[0].item(), 12) == expected


def test_groups_and_state_dicts_of_arrays():
    a, b = {"w": np.ones(2)}, [np.ones(1), np.ones(1)]
    optimizer = optim.SGD([{"params": a}, {"params": b, "lr": 1.0}], lr=0.5, momentum=0.9)
    optimizer.step([{"w": np.ones(2)}, [np.ones(1), None]])
    assert a["w"].tolist() == [0.5, 0.5] and b[0].tolist() == [0.0] and b[1].tolist() == [1.0]
    stored = optimizer.state_dict()
    assert [group["params"] for group in stored["param_groups"]] == [[0], [1, 2]] and list(
        stored["state"]
    ) == [0, 1]
    again = optim.SGD([{"params": a}, {"params": b}], lr=0.1, momentum=0.1)
    again.load_state_dict(stored)
    again.step([{"w": np.ones(2)}, [np.ones(1), None]])
    assert a["w"].tolist() == [0.5 - 0.5 * 1.9] * 2
    again.add_param_group({"params": {"v": np.ones(3)}, "lr": 2.0})
    again.step([None, None, {"v": np.ones(3)}])
    assert again.param_groups[2]["params"][0].tolist() == [-1.0] * 3


REFUSED = [
    (lambda: optim.SGD(np.ones(2)), TypeError, "but got numpy.ndarray"),
    (lambda: optim.SGD({"w": np.ones(2), "b": 1.0}), TypeError, r"params\['b'\] is a float, which cannot be"),
    (lambda: optim.SGD({"w": np.ones(2, int)}), TypeError, r"params\['w'\] is an array of int64"),
    (lambda: optim.SGD({"w": np.broadcast_to(1.0, 3)}), ValueError, r"params\['w'\] is read-only"),
    (lambda: optim.SGD({"w": np.ones(2), "t": ast_ad.ones(2)}), TypeError, r"params\['t'\] is a Tensor"),
    (lambda: optim.SGD([{"w": HELD}, {"v": HELD}]), ValueError, "are the same array"),
    (lambda: optim.SGD({"w": HELD}).step(), TypeError, r"optimizer.step\(grads\)"),
    (lambda: optim.SGD({"w": HELD}).step({"w": np.ones(3)}), ValueError, r"params\['w'\] has shape \(3,\)"),
    (lambda: optim.SGD({"w": HELD}).step({"w": 1j * HELD}), TypeError, "has dtype complex128"),
    (lambda: optim.SGD({"w": HELD}).step({"v": HELD}), ValueError, r"\['v'\], the parameters \['w'\]"),
    (lambda: optim.SGD({"w": HELD}).step([HELD]), ValueError, "grads is a list where the parameters"),
    (lambda: optim.SGD([HELD]).step([HELD, HELD]), ValueError, "has the entries"),
    (lambda: pure.sgd(-1.0), ValueError, "Invalid learning rate: -1.0"),
    (lambda: pure.adam(betas=(0.5, 1.5)), ValueError, "Invalid beta parameter at index 1: 1.5"),
    (lambda: pure.sgd().init({"n": 3}), TypeError, r"params\['n'\] has dtype int64"),
    (lambda: pure.sgd().update([HELD[:1]], {"count": 0}, [HELD]), ValueError, r"\[0\] has shape \(1,\)"),
    (lambda: pure.adam().update([HELD], {"count": 0}, [HELD]), ValueError, "state was not made"),
]  # fmt: skip
HELD = np.ones(2)


@pytest.mark.parametrize("i", range(len(REFUSED)))
def test_what_is_refused(i):
    make, error, text = REFUSED[i]
    with pytest.raises(error, match=text):
        make()
    assert HELD.tolist() == [1.0, 1.0]


def test_an_array_that_was_replaced_is_noticed():
    params = {"w": np.ones(2), "b": np.ones(1)}
    optimizer = optim.SGD(params, lr=0.1)
    params["w"] = params["w"] - 1
    with pytest.raises(ValueError, match=r"params\['w'\] is another array than when the optimiser was made"):
        optimizer.step({"w": np.ones(2), "b": np.ones(1)})
    assert params["b"].tolist() == [1.0]


def test_numbers_of_numpy_and_float32_stay_what_they_are():
    params = {"a": np.float32(1.0), "b": np.ones(2, np.float32), "c": 2.0}
    optimizer = pure.adam(0.1)
    grads = {"a": 1.0, "b": np.ones(2), "c": np.float64(1.0)}
    params, state = optimizer.update(grads, optimizer.init(params), params)
    assert type(params["a"]) is np.float32 and params["b"].dtype == np.float32 and type(params["c"]) is float
    assert abs(params["c"] - 1.9) < 1e-6 and abs(params["a"] - 0.9) < 1e-6
