//! The predictor–corrector method and the trapezoidal rule from their formulas: O(N²) sums, weights from powers, and
//! fixed-point iterations. Nothing is shared with the crate but Γ.

use pointsman_numerics::special::gamma;

type Rate<'a> = &'a dyn Fn(f64, &[f64], &mut [f64]);

/// (n+1)^p − 2n^p + (n−1)^p, with a relative error of about n·2^−52.
fn second_difference(n: f64, p: f64) -> f64 {
    if n == 1.0 {
        return 2f64.powf(p) - 2.0;
    }
    n.powf(p) * ((p * (1.0 / n).ln_1p()).exp_m1() + (p * (-1.0 / n).ln_1p()).exp_m1())
}

/// The states after each step from 0 to `end`, one after the other. With a number of corrections, that of the
/// predictor–corrector method; without one, the solution of the implicit rule to rounding.
pub(super) fn solve(
    orders: &[f64],
    initial: &[f64],
    slopes: &[f64],
    rate: Rate<'_>,
    (end, steps): (f64, usize),
    corrections: Option<usize>,
) -> Vec<f64> {
    let (d, h) = (orders.len(), end / steps as f64);
    let mut states = initial.to_vec();
    let mut rates = vec![vec![0.0; d]];
    rate(0.0, initial, &mut rates[0]);
    for n in 1..=steps {
        let (t, at) = (n as f64 * h, n as f64);
        let mut known = vec![0.0; d];
        let mut state = vec![0.0; d];
        for i in 0..d {
            let a = orders[i];
            let taylor = initial[i] + slopes[i] * t;
            let mut predictor = 0.0;
            let mut corrector = ((at - 1.0).powf(a + 1.0) - (at - 1.0 - a) * at.powf(a)) * rates[0][i];
            for (j, rates) in rates.iter().enumerate() {
                let lag = (n - j) as f64;
                predictor += (lag.powf(a) - (lag - 1.0).powf(a)) * rates[i];
                corrector += if j == 0 { 0.0 } else { second_difference(lag, a + 1.0) * rates[i] };
            }
            known[i] = taylor + h.powf(a) / gamma(a + 2.0) * corrector;
            state[i] = taylor + h.powf(a) / gamma(a + 1.0) * predictor;
        }
        let mut newest = vec![0.0; d];
        rate(t, &state, &mut newest);
        for _ in 0..corrections.unwrap_or(200) {
            for i in 0..d {
                state[i] = known[i] + h.powf(orders[i]) / gamma(orders[i] + 2.0) * newest[i];
            }
            rate(t, &state, &mut newest);
        }
        states.extend_from_slice(&state);
        rates.push(newest);
    }
    states
}
