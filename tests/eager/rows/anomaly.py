"""What does anomaly detection find and say?"""

from tests.eager.rows.case import leaf, raises, text, warned

SLOW = "Anomaly Detection has been enabled. This mode will increase the runtime and should only be"


def nan_gradient(torch):
    x = leaf(torch, [-1.0, 0.0])
    y = (x * 0).sqrt() * 0
    y.sum().backward()
    return x.grad


def boom_class(torch):
    class Boom(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            raise ValueError("boom")

    return Boom


def s003_087(torch):
    def run():
        with torch.autograd.detect_anomaly():
            nan_gradient(torch)

    return raises(run, "Function 'SqrtBackward0' returned nan values in its 0th output.")


def s003_087_second_output(torch):
    def run():
        with torch.autograd.detect_anomaly():
            x, y = leaf(torch, [1.0]), leaf(torch, [0.0])
            (x * y / y).sum().backward()

    return raises(run, "Function 'DivBackward0' returned nan values in its 1th output.")


def s003_087_function(torch):
    class Nan(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return g * float("nan")

    def run():
        with torch.autograd.detect_anomaly():
            Nan.apply(leaf(torch, [1.0])).backward()

    return raises(run, "Function 'NanBackward' returned nan values in its 0th output.")


def s003_088(torch):
    def run():
        with torch.autograd.detect_anomaly():
            return raises(lambda: nan_gradient(torch), "SqrtBackward0")

    parts = (
        SLOW,
        "Error detected in SqrtBackward0. Traceback of forward call that caused the error:",
        "nan_gradient",
    )
    return warned(run, *parts, "y = (x * 0).sqrt() * 0")


def s003_089(torch):
    def run():
        with torch.autograd.detect_anomaly(check_nan=False):
            fine = nan_gradient(torch)
            y = boom_class(torch).apply(leaf(torch, [1.0]))
            return fine, raises(lambda: y.backward(), "boom")

    part = "Error detected in BoomBackward. Traceback of forward call that caused the error:"
    return warned(run, SLOW, part, "boom_class(torch).apply")


def s003_090(torch):
    def run():
        with torch.autograd.detect_anomaly():
            return torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()

    return torch.is_anomaly_enabled(), nan_gradient(torch), warned(run, SLOW), torch.is_anomaly_enabled()


def s003_091(torch):
    torch.autograd.set_detect_anomaly(True)
    try:
        on = torch.is_anomaly_enabled()
        found = raises(
            lambda: nan_gradient(torch), "Function 'SqrtBackward0' returned nan values in its 0th output."
        )
    finally:
        torch.autograd.set_detect_anomaly(False)
    with torch.autograd.set_detect_anomaly(True, check_nan=False):
        inside = torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()
        passed = nan_gradient(torch)
    return on, found, inside, passed, torch.is_anomaly_enabled()


def s003_091_no_warning(torch):
    def run():
        with torch.autograd.set_detect_anomaly(True):
            pass

    return warned(run)


def s003_091_error_in_version(torch):
    def run():
        with torch.autograd.detect_anomaly():
            y = leaf(torch, [1.0]).exp()
            y.add_(1)
            return raises(
                lambda: y.backward(), "Hint: the backtrace further above shows the operation that failed"
            )

    return warned(run, "Error detected in ExpBackward0")


def more_forward_outside(torch):
    """The forward pass was not under detection: there is no traceback to show."""
    y = leaf(torch, [0.0]).sqrt() * 0

    def run():
        with torch.autograd.detect_anomaly():
            return raises(lambda: y.backward(), "returned nan values")

    return warned(run, "No forward pass information available. Enable detect anomaly during forward pass")


def more_nested(torch):
    with torch.autograd.set_detect_anomaly(True):
        with torch.autograd.set_detect_anomaly(False):
            inner = torch.is_anomaly_enabled()
        outer = torch.is_anomaly_enabled()
    return inner, outer, torch.is_anomaly_enabled()


def more_metadata(torch):
    with torch.autograd.set_detect_anomaly(True):
        node = leaf(torch, [1.0]).exp().grad_fn
    traceback = "".join(node.metadata["traceback_"])
    return sorted(node.metadata), "more_metadata" in traceback, text("File" in traceback and "yes")


def more_nan_in_leaf_gradient(torch):
    def run():
        with torch.autograd.detect_anomaly():
            x = leaf(torch, [1.0])
            (x * float("nan")).backward()

    return raises(run, "Function 'MulBackward0' returned nan values in its 0th output.")


def more_inf_is_fine(torch):
    with torch.autograd.detect_anomaly():
        x = leaf(torch, [0.0])
        x.sqrt().backward()
    return x.grad


def more_create_graph(torch):
    def run():
        with torch.autograd.detect_anomaly():
            x = leaf(torch, [0.0], "float64")
            (g,) = torch.autograd.grad((x**3).sqrt(), x, create_graph=True)

    return raises(run, "returned nan values")
