"""Writes reference values of the weights of fractional derivatives and integrals.

    pip install mpmath
    python3 judge.py [--out reference_weights.csv]

The weights come from their definitions, as differences of powers and quotients of gamma functions, with 80 digits: enough
for the 20 digits or so that they lose a million steps away. A row is  weights, order, k, value.
"""
import argparse

from mpmath import gamma, mp, mpf, nstr, power, rgamma

mp.dps = 80

STEPS = [0, 1, 2, 3, 5, 8, 15, 16, 17, 63, 64, 65, 255, 1000, 4097, 65536, 300000, 999999, 1000000]


def first(x, q):
    return power(x + 1, q) - power(x, q)


def bend(m, q):
    """The integral of x^q from m - 1/2 to m + 1/2, minus the trapezoid."""
    high, low = m + mpf(1) / 2, m - mpf(1) / 2
    return (power(high, q + 1) - power(low, q + 1)) / (q + 1) - (power(high, q) + power(low, q)) / 2


def grunwald_letnikov(order, k):
    # (-1)^k binomial(order, k) = gamma(k - order)/(gamma(-order) gamma(k + 1)), finite for whole orders too.
    weight = mpf(1)
    if k <= 5000:
        for j in range(1, k + 1):
            weight *= (j - 1 - order) / mpf(j)
        return weight
    return gamma(k - order) * rgamma(-order) * rgamma(k + 1)


def l1(order, k):
    return first(mpf(k), 1 - order)


def l12(order, k):
    half = mpf(1) / 2
    before = bend(k - half, 1 - order) if k > 0 else mpf(0)
    return first(mpf(k), 1 - order) + bend(k + half, 1 - order) - before


def l2_sigma(order, k):
    sigma, q, half = 1 - order / 2, 1 - order, mpf(1) / 2
    start = first(k - 1 + sigma, q) if k > 0 else power(sigma, q)
    before = bend(k - half + sigma, q) if k > 0 else mpf(0)
    return start + bend(k + half + sigma, q) - before


def centred(order, k):
    sign = -1 if k % 2 else 1
    return sign * gamma(order + 1) * rgamma(order / 2 - k + 1) * rgamma(order / 2 + k + 1)


def trapezoid(order, k):
    p = order + 1
    return power(k + 1, p) - 2 * power(k, p) + power(k - 1, p) if k > 0 else mpf(1)


def trapezoid_end(order, n):
    """What the weight of the first point, (n-1)^p - (n-p) n^(p-1), has more than an inner one."""
    p = order + 1
    if n == 0:
        return mpf(-1)
    return power(n - 1, p) - (n - p) * power(n, p - 1) - trapezoid(order, n)


FAMILIES = {
    grunwald_letnikov: [0.1, 0.5, 0.9, 1.0, 1.7, 4.5, -0.3, -1.5],
    l1: [0.01, 0.5, 0.99],
    l12: [0.01, 0.5, 0.99],
    l2_sigma: [0.01, 0.5, 0.99],
    centred: [0.2, 1.0, 1.9, 2.0],
    trapezoid: [0.05, 0.5, 1.0, 1.5, 7.3],
    trapezoid_end: [0.05, 0.5, 1.0, 1.5, 7.3],
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="reference_weights.csv")
    out = parser.parse_args().out
    with open(out, "w") as file:
        file.write("weights,order,k,value\n")
        for family, orders in FAMILIES.items():
            for order in orders:
                for k in STEPS:
                    # A half is exact in binary; the other orders are the doubles nearest to what is written.
                    value = family(mpf(order), k)
                    file.write(f"{family.__name__},{order},{k},{nstr(value, 20)}\n")


if __name__ == "__main__":
    main()
