"""Cox regression with ties: partial likelihood by Efron, risk sets by ``cumsum``, a loop over deaths."""

import numpy as np

from benchmarks.compiled import compiled, exp

UNSEEN = True
SIZE, TINY, WRT = {"patients": 3000, "covariates": 8}, {"patients": 12, "covariates": 3}, (0, 1)


def arguments(patients, covariates):
    """Patients by falling times, which are rounded, so that many are tied."""
    draw = np.random.default_rng(91)
    measured = draw.normal(size=(patients, covariates))
    times = np.sort(np.round(draw.exponential(patients / 12.0, patients)))[::-1]
    starts = np.flatnonzero(np.append(True, times[1:] != times[:-1]))
    ends = np.append(starts[1:], patients)
    died = draw.uniform(size=patients) < 0.7
    return 0.3 * draw.normal(size=covariates), 0.5, measured, died, starts, ends


def primal(beta, ridge, measured, died, starts, ends):
    eta = measured @ beta
    risk = np.exp(eta)
    at_risk = np.cumsum(risk)
    likelihood = 0.0
    for k in range(len(starts)):
        tied = slice(starts[k], ends[k])
        deaths = np.sum(died[tied])
        if deaths == 0:
            continue
        likelihood += np.sum(eta[tied][died[tied]])
        fallen = np.sum(risk[tied][died[tied]])
        share = np.arange(deaths) / deaths
        likelihood -= np.sum(np.log(at_risk[ends[k] - 1] - share * fallen))
    return -likelihood + 0.5 * ridge * np.sum(beta**2)


@compiled
def hand(beta, ridge, measured, died, starts, ends):
    """Times of death once, from the last to the first patient, the covariates once forth and once back."""
    n, m = measured.shape
    risk, eta, at_risk = np.empty(n), np.empty(n), np.empty(n)
    for i in range(n):
        total, row = 0.0, measured[i]
        for j in range(m):
            total += row[j] * beta[j]
        eta[i] = total
    for i in range(n):
        risk[i] = exp(eta[i])
    total = 0.0
    for i in range(n):
        total += risk[i]
        at_risk[i] = total
    value, later, beta_bar = 0.0, 0.0, np.zeros(m)
    for k in range(starts.shape[0] - 1, -1, -1):
        first, last = starts[k], ends[k]
        deaths, fallen = 0, 0.0
        for i in range(first, last):
            if died[i]:
                deaths += 1
                fallen += risk[i]
                value -= eta[i]
        fallen_bar = 0.0
        for d in range(deaths):
            share = d / deaths
            left = at_risk[last - 1] - share * fallen
            value += np.log(left)
            later += 1.0 / left
            fallen_bar -= share / left
        for i in range(first, last):
            bar = later * risk[i]
            if died[i]:
                bar += fallen_bar * risk[i] - 1.0
            row = measured[i]
            for j in range(m):
                beta_bar[j] += bar * row[j]
    squares = 0.0
    for j in range(m):
        squares += beta[j] * beta[j]
        beta_bar[j] += ridge * beta[j]
    return value + 0.5 * ridge * squares, beta_bar, 0.5 * squares


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(beta, ridge, measured, died, starts, ends):
        group = jnp.searchsorted(starts, jnp.arange(len(died)), side="right") - 1
        died = died.astype(float)
        deaths = jax.ops.segment_sum(died, group, len(starts), indices_are_sorted=True)
        before = jnp.cumsum(died) - died
        share = (before - before[starts[group]]) / jnp.maximum(deaths[group], 1.0)
        eta = measured @ beta
        risk = jnp.exp(eta)
        fallen = jax.ops.segment_sum(died * risk, group, len(starts), indices_are_sorted=True)
        left = jnp.cumsum(risk)[ends - 1][group] - share * fallen[group]
        return jnp.sum(died * (jnp.log(left) - eta)) + 0.5 * ridge * jnp.sum(beta**2)

    return cost
