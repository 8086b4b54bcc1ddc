"""Writes reference values of the weights of product integration: tests/ode/weights.csv.

    pip install mpmath
    python3 weights.py > weights.csv

A row is  order, n, rectangle(n), trapezoid(n), trapezoid_start(n)  with the formulas of src/ode/weights.rs, evaluated
with 80 digits, which the cancellation at n = 10^7 leaves more than 50 of.
"""
import mpmath

mpmath.mp.dps = 80
ORDERS = [1e-6, 1e-3, 0.05, 0.1, 0.25, 1 / 3, 0.5, 0.6, 0.75, 0.9, 0.99, 0.999999, 1.0, 1.000001, 1.01, 1.25, 1.5, 1.75,
          1.9, 1.999]
LAGS = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 63, 64, 65, 100, 1000, 4095, 99999, 100000, 1000003, 9999999, 10000000]

print("# Written by tests/ode/weights.py with mpmath", mpmath.__version__)
print("order,n,rectangle,trapezoid,trapezoid_start")
for order in ORDERS:
    for lag in LAGS:
        a, n = mpmath.mpf(order), mpmath.mpf(lag)
        p = a + 1
        rectangle = n**a - (n - 1)**a
        trapezoid = (n + 1)**p - 2 * n**p + (n - 1)**p
        start = (n - 1)**p - (n - 1 - a) * n**a
        print(f"{order!r},{lag}," + ",".join(mpmath.nstr(x, 20) for x in (rectangle, trapezoid, start)))
