"""Kalman filter, local trend: the Hessian of the likelihood in the logarithms of three variances."""

import numpy as np

KIND, SIZE, TINY = "hessian", {"steps": 200}, {"steps": 4}


def arguments(steps):
    draw = np.random.default_rng(0)
    return np.array([-1.0, -2.0, 0.1]), np.cumsum(draw.normal(size=steps)) + draw.normal(size=steps)


def primal(p, y):
    f = np.array([[1.0, 1.0], [0.0, 1.0]])
    h = np.array([1.0, 0.0])
    q = np.diag(np.exp(p[:2]))
    r = np.exp(p[2])
    state, cov = np.zeros(2), np.eye(2) * 10.0
    loss = 0.0
    for t in range(len(y)):
        state = f @ state
        cov = f @ cov @ f.T + q
        error = y[t] - h @ state
        spread = h @ cov @ h + r
        gain = cov @ h / spread
        state = state + gain * error
        cov = cov - np.outer(gain, h @ cov)
        loss += 0.5 * (np.log(2.0 * np.pi * spread) + error * error / spread)
    return loss


def jax_version():
    import jax
    import jax.numpy as jnp

    def loss(p, y):
        f = jnp.array([[1.0, 1.0], [0.0, 1.0]])
        h = jnp.array([1.0, 0.0])
        q, r = jnp.diag(jnp.exp(p[:2])), jnp.exp(p[2])

        def step(carry, y):
            state, cov = carry
            state, cov = f @ state, f @ cov @ f.T + q
            error, spread = y - h @ state, h @ cov @ h + r
            gain = cov @ h / spread
            cost = 0.5 * (jnp.log(2.0 * jnp.pi * spread) + error * error / spread)
            return (state + gain * error, cov - jnp.outer(gain, h @ cov)), cost

        return jnp.sum(jax.lax.scan(step, (jnp.zeros(2), jnp.eye(2) * 10.0), y)[1])

    return loss
