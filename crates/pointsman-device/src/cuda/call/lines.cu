// Copies around library calls: lines that are padded, cut and scaled, half spectra that are made those of real numbers,
// planes with borders, products of spectra. `real` is float or double.
typedef unsigned long long u64;
struct alignas(2 * sizeof(real)) complex { real re, im; };

// The numbers of a line that a thread handles: x counts along a line, y counts lines.
#define FOR_NUMBERS(i, count) \
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < (count); i += (u64)gridDim.x * blockDim.x)
#define FOR_LINES(line, count) \
    for (u64 line = blockIdx.y * (u64)blockDim.y + threadIdx.y; line < (count); line += (u64)gridDim.y * blockDim.y)

extern "C" __global__ void copy_lines(
    const real* from, u64 from_line, real* to, u64 to_line, u64 copied, double scale, u64 lines) {
    const real factor = (real)scale;
    FOR_LINES(line, lines) {
        FOR_NUMBERS(i, to_line) to[line * to_line + i] = i < copied ? from[line * from_line + i] * factor : (real)0;
    }
}

// The numbers 0 and length / 2 of a line of real numbers are real; over several lines, they are conjugates of each other.
extern "C" __global__ void half_spectra(
    const complex* from, u64 given, complex* to, u64 outer, u64 length, double scale, u64 lines) {
    const real factor = (real)scale;
    const u64 half = length / 2 + 1;
    FOR_LINES(line, lines) {
        const u64 row = line % outer;
        const u64 mirror = line - row + (outer - row) % outer;
        FOR_NUMBERS(i, half) {
            complex z = {0, 0};
            if (i < given) {
                z = from[line * given + i];
                if (i == 0 || 2 * i == length) {
                    const complex w = from[mirror * given + i];
                    z.re = (real)0.5 * (z.re + w.re);
                    z.im = (real)0.5 * (z.im - w.im);
                }
            }
            z.re *= factor;
            z.im *= factor;
            to[line * half + i] = z;
        }
    }
}

// Places planes into larger ones that are zero elsewhere; turned around if `turned` is 1.
extern "C" __global__ void place_planes(
    const real* from, u64 height, u64 width, u64 top, u64 left, u64 turned, real* to, u64 rows, u64 columns, u64 lines) {
    FOR_LINES(line, lines) {
        const u64 plane = line / rows, y = line % rows - top;
        FOR_NUMBERS(i, columns) {
            const u64 x = i - left;
            real value = 0;
            if (y < height && x < width) {
                const u64 v = turned ? height - 1 - y : y, u = turned ? width - 1 - x : x;
                value = from[(plane * height + v) * width + u];
            }
            to[line * columns + i] = value;
        }
    }
}

// Sums over the input channels of a spectrum times the conjugate of its weights' spectrum. A line is one result channel.
extern "C" __global__ void multiply_spectra(
    const complex* inputs, const complex* weights, complex* results, u64 channels_in, u64 channels_out, u64 numbers,
    double scale, u64 lines) {
    const real factor = (real)scale;
    FOR_LINES(line, lines) {
        const complex* input = inputs + line / channels_out * channels_in * numbers;
        const complex* weight = weights + line % channels_out * channels_in * numbers;
        FOR_NUMBERS(i, numbers) {
            real re = 0, im = 0;
            for (u64 channel = 0; channel < channels_in; channel++) {
                const complex a = input[channel * numbers + i], b = weight[channel * numbers + i];
                re += a.re * b.re + a.im * b.im;
                im += a.im * b.re - a.re * b.im;
            }
            results[line * numbers + i] = complex{re * factor, im * factor};
        }
    }
}

// Takes every `down`-th row and every `across`-th number of planes.
extern "C" __global__ void take_planes(
    const real* from, u64 rows, u64 columns, u64 down, u64 across, real* to, u64 height, u64 width, u64 lines) {
    FOR_LINES(line, lines) {
        const u64 plane = line / height, y = line % height;
        FOR_NUMBERS(i, width) to[line * width + i] = from[(plane * rows + y * down) * columns + i * across];
    }
}
