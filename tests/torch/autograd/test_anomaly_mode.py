"""Does the detection of anomalies show the line that is to blame?"""

import warnings

import pytest

import ast_ad
from ast_ad.torch.autograd import Function, detect_anomaly, grad, set_detect_anomaly

ENABLED = "Anomaly Detection has been enabled."


def leaf(value):
    return ast_ad.tensor(value, requires_grad=True)


def bad(x):
    return ast_ad.sqrt(x) * 0  # the line that is to blame


def watched(run, error):
    """The texts of the warnings that ``run`` gives before it fails."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with pytest.raises(error[0], match=error[1]):
            run()
    return [str(entry.message) for entry in seen]


NAN = RuntimeError, r"Function 'SqrtBackward0' returned nan values in its 0th output\."


def test_nan_is_traced_to_its_line():
    def run():
        with detect_anomaly():
            bad(leaf(0.0)).backward()

    enabled, found = watched(run, NAN)
    assert enabled.startswith(ENABLED)
    assert found.startswith(
        "Error detected in SqrtBackward0. Traceback of forward call that caused the error:\n"
    )
    assert found.endswith("in bad\n    return ast_ad.sqrt(x) * 0  # the line that is to blame\n")
    assert "ast_ad/eager" not in found and "ast_ad/torch" not in found


def test_detection_that_begins_after_the_forward_pass():
    y = bad(leaf(0.0))

    def run():
        with detect_anomaly():
            y.backward()

    assert "No forward pass information available. Enable detect anomaly during" in watched(run, NAN)[1]


class Inner(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * float("nan")


class Outer(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return Inner.apply(g * ctx.saved_tensors[0])


def test_what_led_to_it_is_told_too():
    def run():
        with detect_anomaly():
            (g,) = grad(Outer.apply(leaf(1.0)), x := leaf(1.0), create_graph=True, allow_unused=True)
            assert g is None
            (g,) = grad(Outer.apply(x), x, create_graph=True)
            g.backward()

    texts = watched(run, (RuntimeError, "Function 'InnerBackward' returned nan values in its 0th output."))
    assert texts[1].startswith(
        "Error detected in InnerBackward. Traceback of forward call that caused the error:"
    )
    assert texts[2].startswith(
        "\n\nPrevious calculation was induced by OuterBackward. Traceback of forward call"
    )


def test_the_output_is_counted_among_all_inputs():
    def run():
        with detect_anomaly():
            (ast_ad.tensor([1.0]) * leaf([0.0]).sqrt() * 0).sum().backward()

    watched(run, NAN)

    class Second(Function):
        @staticmethod
        def forward(ctx, k, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return None, g * float("nan")

    def run_second():
        with detect_anomaly():
            Second.apply(ast_ad.ones(1), leaf([1.0])).sum().backward()

    watched(run_second, (RuntimeError, "Function 'SecondBackward' returned nan values in its 1th output."))


def test_nan_may_be_let_pass():
    with pytest.warns(UserWarning, match=ENABLED), detect_anomaly(check_nan=False):
        x = leaf(0.0)
        bad(x).backward()
    assert x.grad.isnan().item()
    bad(x).backward()


def test_the_switch():
    def enabled():
        return ast_ad.is_anomaly_enabled(), ast_ad.is_anomaly_check_nan_enabled()

    with set_detect_anomaly(True):
        assert enabled() == (True, True)
        with set_detect_anomaly(False):
            assert enabled() == (False, True)
        with set_detect_anomaly(True, check_nan=False):
            assert enabled() == (True, False)
    assert enabled() == (False, True)
    set_detect_anomaly(True)
    try:
        assert enabled() == (True, True)
    finally:
        set_detect_anomaly(False)


def test_nodes_remember_their_line():
    with set_detect_anomaly(True):
        y = bad(leaf(1.0))
    lines = y.grad_fn.metadata["traceback_"]
    assert list(y.grad_fn.metadata) == ["traceback_"] and "in bad" in lines[-1]
    assert (leaf(1.0) * 2).grad_fn.metadata == {}
