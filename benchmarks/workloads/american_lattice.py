"""American options: binomial lattices with a list of cash dividends, fitted to quotes."""

import numpy as np

from benchmarks.compiled import compiled, exp

UNSEEN = True
SIZE, TINY, WRT = {"options": 10, "steps": 200}, {"options": 2, "steps": 6}, (0, 1, 2, 3)


def arguments(options, steps):
    draw = np.random.default_rng(92)
    dividends, paid = np.array([1.5, 1.25, 1.4]), np.array([0.15, 0.43, 0.81])
    strikes = np.linspace(80.0, 121.0, options)
    return draw.uniform(0.2, 0.4, options), 0.04, 100.0, dividends, paid, strikes, strikes / 8.0, steps


def primal(volatility, rate, spot, dividends, paid, strikes, quotes, steps):
    dt = 1.0 / steps
    discount = np.exp(-rate * dt)
    misfit = 0.0
    for o in range(len(strikes)):
        up = np.exp(volatility[o] * np.sqrt(dt))
        down = 1.0 / up
        p = (np.exp(rate * dt) - down) / (up - down)
        net = spot - np.sum(dividends * np.exp(-rate * paid))
        prices = net * up ** (2.0 * np.arange(steps + 1) - steps)
        values = np.maximum(strikes[o] - prices, 0.0)
        for t in range(steps - 1, -1, -1):
            prices = prices[1:] * down
            escrow = 0.0
            for cash, when in zip(dividends, paid, strict=True):
                if when > t * dt:
                    escrow += cash * np.exp(-rate * (when - t * dt))
            held = discount * (p * values[1:] + (1.0 - p) * values[:-1])
            values = np.maximum(held, strikes[o] - (prices + escrow))
        misfit += (values[0] - quotes[o]) ** 2
    return misfit


@compiled
def hand(volatility, rate, spot, dividends, paid, strikes, quotes, steps):
    """Keeps the values of one lattice; powers of ``up`` are a table, whose cotangents are summed last."""
    dt = 1.0 / steps
    root, discount, growth = np.sqrt(dt), np.exp(-rate * dt), np.exp(rate * dt)
    count = dividends.size
    escrow, worth, value = np.zeros(steps), np.empty(count), 0.0
    taken, tables, kept = 0.0, np.empty(2 * steps + 1), np.empty((steps + 1, steps + 1))
    for c in range(count):
        worth[c] = np.exp(-rate * paid[c])
        taken += dividends[c] * worth[c]
        for t in range(steps):
            if paid[c] > t * dt:
                escrow[t] += dividends[c] * np.exp(-rate * (paid[c] - t * dt))
    net, net_bar, rate_bar, escrow_bar = spot - taken, 0.0, 0.0, np.zeros(steps)
    discount_bar, growth_bar, volatility_bar = 0.0, 0.0, np.empty(strikes.size)
    table_bar, bars = np.empty(2 * steps + 1), np.empty(steps + 2)
    for o in range(strikes.size):
        strike, up = strikes[o], np.exp(volatility[o] * root)
        down = 1.0 / up
        p = (growth - down) / (up - down)
        for k in range(2 * steps + 1):
            tables[k] = exp(volatility[o] * root * (k - steps))
            table_bar[k] = 0.0
        last = kept[steps]
        for j in range(steps + 1):
            last[j] = max(strike - net * tables[2 * j], 0.0)
        a, b = discount * p, discount * (1.0 - p)
        for t in range(steps - 1, -1, -1):
            after, now, level = kept[t + 1], kept[t], strike - escrow[t]
            for j in range(t + 1):
                now[j] = max(a * after[j + 1] + b * after[j], level - net * tables[2 * j - t + steps])
        miss = kept[0, 0] - quotes[o]
        value += miss * miss
        a_bar, b_bar, bars[0], bars[1] = 0.0, 0.0, 2.0 * miss, 0.0
        for t in range(steps):
            after, now, level, early_bar, carried = kept[t + 1], kept[t], strike - escrow[t], 0.0, 0.0
            for j in range(t + 1):
                early = level - net * tables[2 * j - t + steps]
                bar = bars[j]
                if now[j] > early:
                    a_bar += bar * after[j + 1]
                    b_bar += bar * after[j]
                    bars[j] = carried + b * bar
                    carried = a * bar
                else:
                    early_bar += bar
                    table_bar[2 * j - t + steps] += bar
                    bars[j] = carried
                    carried = 0.0
            bars[t + 1] = carried
            escrow_bar[t] -= early_bar
        for j in range(steps + 1):
            if last[j] > 0.0:
                table_bar[2 * j] += bars[j]
        log_up_bar = 0.0
        for k in range(2 * steps + 1):
            net_bar -= table_bar[k] * tables[k]
            log_up_bar -= net * table_bar[k] * tables[k] * (k - steps)
        p_bar = discount * (a_bar - b_bar)
        discount_bar += p * a_bar + (1.0 - p) * b_bar
        growth_bar += p_bar / (up - down)
        log_up_bar += p_bar * (down - p * (up + down)) / (up - down)
        volatility_bar[o] = log_up_bar * root
    rate_bar += dt * (growth * growth_bar - discount * discount_bar)
    dividends_bar = np.zeros(count)
    for c in range(count):
        for t in range(steps):
            if paid[c] > t * dt:
                left = paid[c] - t * dt
                worthy = np.exp(-rate * left)
                dividends_bar[c] += escrow_bar[t] * worthy
                rate_bar -= escrow_bar[t] * left * dividends[c] * worthy
        dividends_bar[c] -= net_bar * worth[c]
        rate_bar += net_bar * paid[c] * dividends[c] * worth[c]
    return value, volatility_bar, rate_bar, net_bar, dividends_bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def lattice(volatility, strike, rate, spot, dividends, paid, steps):
        dt = 1.0 / steps
        up = jnp.exp(volatility * jnp.sqrt(dt))
        down = 1.0 / up
        p = (jnp.exp(rate * dt) - down) / (up - down)
        net = spot - jnp.sum(dividends * jnp.exp(-rate * paid))
        prices = net * up ** (2.0 * jnp.arange(steps + 1) - steps)
        left = paid[None, :] - dt * jnp.arange(steps)[:, None]
        escrow = jnp.sum(jnp.where(left > 0.0, dividends * jnp.exp(-rate * left), 0.0), axis=1)

        def step(state, escrow):
            prices, values = state
            prices = jnp.append(prices[1:], 0.0) * down
            held = jnp.exp(-rate * dt) * (p * jnp.append(values[1:], 0.0) + (1.0 - p) * values)
            return (prices, jnp.maximum(held, strike - (prices + escrow))), None

        first = prices, jnp.maximum(strike - prices, 0.0)
        return jax.lax.scan(step, first, escrow, reverse=True)[0][1][0]

    def cost(volatility, rate, spot, dividends, paid, strikes, quotes, steps):
        value = jax.vmap(lattice, (0, 0, None, None, None, None, None))
        return jnp.sum((value(volatility, strikes, rate, spot, dividends, paid, steps) - quotes) ** 2)

    return cost
