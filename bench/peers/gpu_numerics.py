"""Measures our library calls and PyTorch's on one GPU, work by work, in one run: operands resident, times on the device
between two events around each call, ours and theirs in turns. Results are compared by the sum of all numbers and 64 of
them. A ratio is PyTorch's best time over ours: above 1, we are faster. The bar is 95 % of PyTorch's speed or 5 µs more;
of the Grünwald–Letnikov history, 10 % more than its three transforms."""
import argparse
import json
import statistics
import sys
import tempfile

import numpy as np
import torch

from gpu import SAMPLES, TIMES, Ours, room_for_files

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
HISTORY = 1 << 20


class Work:
    """One work: our call, the sizes of its operands in floats, PyTorch's function of the operands, and the bar's slack."""

    def __init__(self, name, call, dtype, sizes, theirs, slack=None, shared_seed=False):
        self.name, self.call, self.dtype, self.sizes, self.theirs = name, call, dtype, sizes, theirs
        self.slack, self.shared_seed = slack, shared_seed


def matmul(n, dtype, rows=None, batch=1):
    shape = f"matmul/real/{n}/{n}/{n}/left/rows/right/rows/" + ("per_chunk" if batch > 1 else "shared")
    size = batch * n * n
    view = (batch, n, n) if batch > 1 else (n, n)
    name = f"matmul {dtype} {n}" + (f" × {batch}" if batch > 1 else "")
    return Work(name, shape, dtype, [size, size], lambda a, b: a.view(view) @ b.view(view), 0.95)


def complex_of(x):
    return torch.view_as_complex(x.view(-1, 2))


def fft(log2, dtype):
    n = 1 << log2
    return Work(f"fft {dtype} 2^{log2}", f"fft/forward/1/{n}/given/{n}/kept/{n}", dtype, [2 * n],
                lambda x: torch.fft.fft(complex_of(x)), 0.95)


def inverse(log2, dtype):
    n = 1 << log2
    return Work(f"ifft {dtype} 2^{log2}", f"fft/inverse/1/{n}/given/{n}/kept/{n}", dtype, [2 * n],
                lambda x: torch.fft.ifft(complex_of(x)), 0.95)


def rfft(n, batch, dtype):
    return Work(f"rfft {dtype} {batch} × {n}", f"fft/real_forward/1/{n}/given/{n}/kept/{n // 2 + 1}", dtype, [n * batch],
                lambda x: torch.fft.rfft(x.view(batch, n)), 0.95)


def history(n):
    """The first n numbers of a convolution of n numbers with n weights."""
    call = f"convolve/convolution/transform/channels/1/1/input/1/{n}/weights/1/{n}/padding/0/0/{n - 1}/0/stride/1/1"
    theirs = lambda y, w: torch.fft.irfft(torch.fft.rfft(y, 2 * n) * torch.fft.rfft(w, 2 * n), 2 * n)[:n]
    return Work(f"Grünwald–Letnikov history f64 {n}", call, "f64", [n, n], theirs, 1 / 1.1)


def line(n, weights):
    call = f"convolve/correlation/sum/channels/1/1/input/1/{n}/weights/1/{weights}/padding/0/0/0/0/stride/1/1"
    theirs = lambda x, k: torch.nn.functional.conv1d(x.view(1, 1, -1), k.view(1, 1, -1))
    return Work(f"convolution f32 {n}∗{weights}", call, "f32", [n, weights], theirs)


def images(batch, channels, out, side, weights):
    around = weights // 2
    call = (f"convolve/correlation/sum/channels/{channels}/{out}/input/{side[0]}/{side[1]}/weights/{weights}/{weights}"
            f"/padding/{around}/{around}/{around}/{around}/stride/1/1")
    theirs = lambda x, k: torch.nn.functional.conv2d(
        x.view(batch, channels, *side), k.view(out, channels, weights, weights), padding=around)
    sizes = [batch * channels * side[0] * side[1], out * channels * weights * weights]
    return Work(f"convolution f32 {batch}×{channels}×{side[0]}×{side[1]} ∗ {out}×{channels}×{weights}²", call, "f32", sizes,
                theirs)


WORKS = [
    *[matmul(n, dtype) for dtype in ("f32", "f64") for n in (256, 1024, 4096, 8192)],
    matmul(64, "f32", batch=512),
    *[fft(log2, dtype) for dtype in ("f32", "f64") for log2 in (10, 16, 20, 24)],
    inverse(20, "f32"),
    rfft(1024, 65536, "f32"),
    history(HISTORY),
    line(1 << 24, 65),
    images(1, 1, 1, (2160, 3840), 5),
    images(32, 64, 64, (128, 128), 3),
]


def theirs_timed(work, operands):
    events = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(TIMES)]
    for before, after in events:
        before.record()
        result = work.theirs(*operands)
        after.record()
        torch.cuda.synchronize()
    return [before.elapsed_time(after) for before, after in events], result


def measure(ours, work, folder, rounds):
    kind = np.float32 if work.dtype == "f32" else np.float64
    columns, operands = [], []
    for number, size in enumerate(work.sizes):
        values = (np.random.default_rng(number + size).random(size) - 0.5).astype(kind)
        path = f"{folder}/{number}-{size}.{work.dtype}"
        values.tofile(path)
        columns.append(f"{path}:{work.dtype}")
        operands.append(torch.from_numpy(values).cuda())
    line = f"call/{work.call}"
    mine, peers = [], []
    for turn in range(rounds + 1):
        numbers, why = ours.numbers(f"events {line} {TIMES} {' '.join(columns)}")
        if numbers is None:
            return {"work": work.name, "skipped": why}
        found, result = theirs_timed(work, operands)
        if turn:
            mine.extend(numbers)
            peers.extend(found)
    told, why = ours.numbers(f"check {line} {' '.join(columns)}")
    flat = torch.view_as_real(result).reshape(-1) if result.is_complex() else result.reshape(-1)
    rows = int(told[0])
    at = [i * (rows - 1) // (SAMPLES - 1) for i in range(SAMPLES)]
    expected = [float(flat[place]) for place in at]
    norm = float(flat.double().square().mean().sqrt())
    error = max(abs(a - b) for a, b in zip(told[2:], expected)) / norm
    right = rows == flat.numel() and error < (1e-4 if work.dtype == "f32" else 1e-12)
    ours_ms, theirs_ms = min(mine), min(peers)
    allowed = theirs_ms / work.slack if work.slack else None
    if allowed and work.slack == 0.95:
        allowed = max(allowed, theirs_ms + 0.005)
    return {"work": work.name, "ours_ms": ours_ms, "ours_median_ms": statistics.median(mine), "theirs_ms": theirs_ms,
            "theirs_median_ms": statistics.median(peers), "ratio": theirs_ms / ours_ms, "right": right, "error": error,
            "met": None if allowed is None else ours_ms <= allowed}


def main():
    parser = argparse.ArgumentParser(prog="run numerics")
    parser.add_argument("binary", help=argparse.SUPPRESS)
    parser.add_argument("--device", default="cuda:0", help="our device")
    parser.add_argument("--rounds", type=int, default=4, help="turns of ours and PyTorch")
    parser.add_argument("--only", default="", help="only the works whose name contains this")
    parser.add_argument("--json", help="write the figures there")
    options = parser.parse_args()
    ours = Ours(options.binary, options.device)
    chosen = [work for work in WORKS if options.only in work.name]
    rows = []
    with tempfile.TemporaryDirectory(dir=room_for_files()) as folder:
        for number, work in enumerate(chosen):
            print(f"\r[{number + 1}/{len(chosen)}] {work.name:<60}", end="", file=sys.stderr, flush=True)
            rows.append(measure(ours, work, folder, options.rounds))
            ours.ask("clear")
            torch.cuda.empty_cache()
    print("\r" + " " * 70 + "\r", end="", file=sys.stderr)
    print(f"{ours.about}; PyTorch {torch.__version__}; best of {TIMES * options.rounds} (median), milliseconds\n")
    print("| work | ours (median) | PyTorch (median) | ratio | bar met |\n| --- | --- | --- | --- | --- |")
    for row in rows:
        if "skipped" in row:
            print(f"| {row['work']} | {row['skipped']} | | | |")
            continue
        met = "wrong" if not row["right"] else "–" if row["met"] is None else "yes" if row["met"] else "no"
        print(f"| {row['work']} | {row['ours_ms']:.4g} ({row['ours_median_ms']:.4g}) | {row['theirs_ms']:.4g} "
              f"({row['theirs_median_ms']:.4g}) | {row['ratio']:.2f}× | {met} |")
        if not row["right"]:
            print(f"!! {row['work']}: the error is {row['error']:.2g} of the norm", file=sys.stderr)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
