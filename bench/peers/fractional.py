"""Their side of bench/fractional: SciPy's real transform, derivatives by differint and pycaputo, an equation by pycaputo. Ours
runs first and after that once more; the better of both counts. A ratio is their best time over ours."""
import subprocess
import sys
import time

import numpy as np
import scipy.fft


def best(run, times):
    run()
    found = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        found.append((time.perf_counter() - start) * 1e3)
    return min(found)


def ours(binary):
    lines = subprocess.run([binary], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    return {(words[0], int(words[1])): float(words[2]) for words in map(str.split, lines)}


def transform():
    x = np.random.default_rng(1).random(1 << 21)
    return best(lambda: scipy.fft.rfft(x, workers=2), 7)


def differint_times():
    import differint.differint as di

    sine = np.sin
    return {("gl-fresh", 10_000): best(lambda: di.GL(0.5, sine, 0, 1, 10_000), 3),
            ("rl-integral-fresh", 1000): best(lambda: di.RL(-0.5, sine, 0, 1, 1000), 2)}


def pycaputo_times():
    from pycaputo.controller import make_fixed_controller
    from pycaputo.derivatives import CaputoDerivative
    from pycaputo.differentiation import diff
    from pycaputo.differentiation.caputo import L1
    from pycaputo.events import StepCompleted
    from pycaputo.fode.caputo import PECE
    from pycaputo.grid import make_uniform_points
    from pycaputo.stepping import evolve

    points = make_uniform_points(16_000, a=0.0, b=1.0)

    def solve(steps):
        control = make_fixed_controller(1.0 / steps, tstart=0.0, tfinal=1.0)
        method = PECE(ds=(CaputoDerivative(0.8),), control=control, source=lambda t, y: -y, y0=(np.array([1.0]),),
                      corrector_iterations=1)
        return sum(1 for event in evolve(method) if isinstance(event, StepCompleted))

    return {("l1-fresh", 16_000): best(lambda: diff(L1(0.5), np.sin, points), 2),
            ("pece", 2000): best(lambda: solve(2000), 2)}


def main():
    first, theirs = ours(sys.argv[1]), {}
    rfft = transform()
    for name, peer in (("differint", differint_times), ("pycaputo", pycaputo_times)):
        try:
            theirs.update({key: (name, value) for key, value in peer().items()})
        except Exception as error:  # a peer that cannot run is left out
            print(f"!! {name} is left out: {error}", file=sys.stderr)
    second = ours(sys.argv[1])
    mine = {key: min(first[key], second[key]) for key in first}
    faster = min(rfft, mine["rfft", 1 << 21])
    print(f"rfft of 2^21: ours {mine['rfft', 1 << 21]:.2f} ms, SciPy {rfft:.2f} ms\n")
    print("| work | size | ours, ms | × the faster rfft of 2^21 | peer, ms | ratio |\n| --- | --- | --- | --- | --- | --- |")
    for (name, size), milliseconds in mine.items():
        peer = theirs.get((name, size))
        beside = f"{peer[0]} {peer[1]:.4g} | {peer[1] / milliseconds:.0f}×" if peer else "– | –"
        of_rfft = f"{milliseconds / faster:.2f}" if size == 1_000_000 else "–"
        print(f"| {name} | {size} | {milliseconds:.4g} | {of_rfft} | {beside} |")


if __name__ == "__main__":
    main()
