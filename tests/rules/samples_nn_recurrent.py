"""Sample calls of recurrent layers and of their sweeps, with sequences of one length and of several."""

from sample import Sample, apart, normal, unit

from ast_ad.rules.networks import recurrent as r

# a length, a batch, features, and states: no two alike
T, N, F, H, P = 3, 2, 5, 4, 3
X, H0, C0 = unit(T, N, F), unit(N, H), unit(N, H, seed=1)
PACKED, SIZES = unit(6, F), (3, 2, 1)
H3, C3, P3 = unit(3, H), unit(3, H, seed=1), unit(3, P)


def weights(gates, size=H, state=H):
    return (
        normal(gates * size, F) * 0.5,
        normal(gates * size, state) * 0.5,
        normal(gates * size) * 0.5,
        normal(gates * size, seed=1) * 0.5,
    )


REVERSE = {"reverse": True}
G6, OUT, INNER, BEFORE = (unit(6, H, seed=i) for i in range(2, 6))
G_GATES, GATES = unit(6, 4 * H), unit(6, 4 * H, seed=1)
G_THREE, THREE = unit(6, 3 * H), unit(6, 3 * H, seed=1)
VARIED = {"sizes": SIZES}
SAMPLES = {
    r.states_before: [
        Sample((H0, unit(6, H), None, False), wrt=(0, 1)),
        Sample((H0, unit(6, H), None, True), wrt=(0, 1)),
        Sample((H3, unit(6, H), SIZES, True), wrt=(0, 1)),
    ],
    r.rnn_layer: [
        (X, H0, *weights(1)),
        Sample((X, H0, *weights(1)), REVERSE),
        Sample((X, H0, *weights(1)[:2]), {"relu": True}, tol=1e-5),
        Sample((PACKED, H3, *weights(1)), VARIED),
        Sample((PACKED, H3, *weights(1)), VARIED | REVERSE),
    ],
    r.rnn_sweep: [
        (unit(6, H, seed=2), H0, unit(6, H), weights(1)[1]),
        Sample((unit(6, H, seed=2), H3, apart(6, H), weights(1)[1]), VARIED | {"relu": True}),
    ],
    r.lstm_layer: [
        (X, H0, C0, *weights(4)),
        Sample((X, H0, C0, *weights(4)[:2]), REVERSE),
        (X, unit(N, P), C0, *weights(4, state=P), normal(P, H)),
        Sample((PACKED, H3, C3, *weights(4)), VARIED),
        Sample((PACKED, P3, C3, *weights(4, state=P), normal(P, H)), VARIED | REVERSE),
    ],
    r.lstm_sweep: [
        (G6, H0, C0, INNER, G_GATES, GATES, OUT, C0, weights(4)[1]),
        Sample(
            (unit(6, P), P3, C3, INNER, G_GATES, GATES, OUT, C3, weights(4, state=P)[1], normal(P, H)),
            VARIED | REVERSE,
        ),
    ],
    r.gru_layer: [
        (X, H0, *weights(3)),
        Sample((X, H0, *weights(3)[:2]), REVERSE),
        Sample((PACKED, H3, *weights(3)), VARIED),
        Sample((PACKED, H3, *weights(3)), VARIED | REVERSE),
    ],
    r.gru_sweep: [
        (G6, H0, G_THREE, OUT, THREE, INNER, BEFORE, weights(3)[1]),
        Sample((G6, H3, G_THREE, OUT, THREE, INNER, BEFORE, weights(3)[1]), VARIED | REVERSE),
    ],
}
