"""Predators and prey: the Jacobian of a fit's residuals in the rates of an ODE, by Runge-Kutta steps."""

import numpy as np

KIND, SIZE, TINY = "jacobian", {"times": 100}, {"times": 3}


def arguments(times):
    draw = np.random.default_rng(0)
    return np.array([1.1, 0.4, 0.1, 0.4, 8.0, 3.0]), draw.uniform(1.0, 9.0, (times, 2)), 0.02, 5


def slope(state, p):
    prey, hunters = state
    return np.array([prey * (p[0] - p[1] * hunters), hunters * (p[2] * prey - p[3])])


def primal(p, seen, step, between):
    state = p[4:6]
    errors = np.empty((len(seen), 2))
    for k in range(len(seen)):
        for _ in range(between):
            a = slope(state, p)
            b = slope(state + 0.5 * step * a, p)
            c = slope(state + 0.5 * step * b, p)
            d = slope(state + step * c, p)
            state = state + step / 6.0 * (a + 2.0 * b + 2.0 * c + d)
        errors[k] = np.log(state) - np.log(seen[k])
    return errors


def jax_version():
    import jax
    import jax.numpy as jnp

    def residuals(p, seen, step, between):
        def rate(state):
            prey, hunters = state
            return jnp.array([prey * (p[0] - p[1] * hunters), hunters * (p[2] * prey - p[3])])

        def one(state, _):
            a = rate(state)
            b = rate(state + 0.5 * step * a)
            c = rate(state + 0.5 * step * b)
            d = rate(state + step * c)
            return state + step / 6.0 * (a + 2.0 * b + 2.0 * c + d), None

        def several(state, _):
            state, _ = jax.lax.scan(one, state, None, length=between)
            return state, state

        return jnp.log(jax.lax.scan(several, p[4:6], None, length=len(seen))[1]) - jnp.log(seen)

    return residuals
