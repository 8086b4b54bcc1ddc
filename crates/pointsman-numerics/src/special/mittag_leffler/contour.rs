//! The inverse Laplace transform on the parabola s = μ·(1 + iu)², by the trapezoidal rule with pole corrections.
//!
//! As a function of u, the integrand g is analytic below the line Im u = 1, the cut of s, except for the poles. By the
//! residue theorem the trapezoidal rule then has a known error, up to a term of size exp(−2π/h):
//!
//! ```text
//! E = h·Σ g((k + d)·h) + Σ R/(1 − exp(−2πi·(u/h − d)))
//!     all integers k     all poles u with residues R in s
//! ```
//!
//! The fraction is 1 for poles far to the right of the parabola, and 0 far to the left. The offset d of the grid keeps
//! the nodes away from the poles. The derivative with respect to z is that of this formula, term by term.

use super::Quantity;
use super::complex;
use super::poles::{self, Pole};
use num_complex::Complex64;
use std::f64::consts::{PI, TAU};

/// Smallest μ. Larger ones need fewer nodes, but the sum loses a factor of e^μ to rounding, or e^(2μ) for negative b.
const VERTEX_MIN: f64 = 3.0;

/// μ for b below [`NEGATIVE_B`].
const VERTEX_NEGATIVE_B: f64 = 1.5;

const NEGATIVE_B: f64 = -1.5;

/// Largest h, which makes exp(−2π/h) 3e-20: the integrand grows towards the cut.
const STEP_MAX: f64 = 0.14;

/// Terms below this fraction of the largest end the sum.
const TOLERANCE: f64 = 1e-18;

/// A bound for b far below −170, where 1/Γ(b) overflows: about 30 nodes on either side are usual.
const NODE_COUNT_MAX: u32 = 1000;

/// Poles whose root has a real part below this fraction of √μ are near the cut, where their correction is below
/// exp(−2π/h).
const CUT_DISTANCE: f64 = 0.05;

/// The parabola, and the grid on it.
struct Contour {
    vertex: f64,
    step: f64,
    offset: f64,
}

pub(super) fn evaluate(quantity: Quantity, a: f64, b: f64, z: Complex64) -> Complex64 {
    let mut contour = Contour::new(b);
    let mut poles = poles::poles(a, b, z);
    poles.retain(|pole| pole.root.re > CUT_DISTANCE * contour.vertex.sqrt());
    let real = z.im == 0.0;
    contour.choose_offset(&poles, if real { &[0.0, 0.5] } else { &[0.0, 0.25, 0.5, 0.75] });

    let ln_z = Complex64::new(z.norm().ln(), z.arg());
    let term = |u: f64| contour.integrand(quantity, a, b, ln_z, u);
    let integral = if real {
        // g(−u) is the conjugate of g(u).
        let half = contour.sum_outwards(contour.offset, 1.0, &term);
        let doubled = if contour.offset == 0.0 { 2.0 * half - term(0.0) } else { 2.0 * half };
        Complex64::from(doubled.re)
    } else {
        contour.sum_outwards(contour.offset, 1.0, &term) + contour.sum_outwards(1.0 - contour.offset, -1.0, &term)
    };
    let residues = poles::sum_residues(&poles, |pole| contour.pole_weight(quantity, a, pole));
    let sum = match quantity {
        Quantity::Value => integral * contour.step + residues,
        Quantity::Derivative => (integral * contour.step + residues) / z,
    };
    if real { sum.re.into() } else { sum }
}

impl Contour {
    fn new(b: f64) -> Self {
        // eˢ·s^(−b) has its saddle point at s = b, and its width in u is 1/√μ there.
        let vertex = if b < NEGATIVE_B { VERTEX_NEGATIVE_B } else { VERTEX_MIN.max(b + 1.0) };
        Self { vertex, step: STEP_MAX * (VERTEX_MIN / vertex).sqrt().min(1.0), offset: 0.0 }
    }

    /// Takes the offset, in steps, whose nodes are farthest from the poles.
    fn choose_offset(&mut self, poles: &[Pole], offsets: &[f64]) {
        let mut best = -1.0;
        for &offset in offsets {
            let distance = poles.iter().map(|pole| {
                let turns = self.turns(pole) - offset;
                Complex64::new(turns.re - turns.re.round(), turns.im).norm()
            });
            let distance = distance.fold(f64::INFINITY, f64::min);
            if distance > best {
                (best, self.offset) = (distance, offset);
            }
        }
    }

    /// u/h of a pole.
    fn turns(&self, pole: &Pole) -> Complex64 {
        let root = pole.root / self.vertex.sqrt();
        Complex64::new(root.im, 1.0 - root.re) / self.step
    }

    /// w = 1/(1 − exp(−2πi·(u/h − d))), or (z/R)·∂(R·w)/∂z, as an exponential and a factor.
    fn pole_weight(&self, quantity: Quantity, a: f64, pole: &Pole) -> (Complex64, Complex64) {
        let turns = self.turns(pole) - self.offset;
        let (exponent, factor) = complex::reciprocal_exp_m1(TAU * Complex64::new(turns.im, -turns.re));
        match quantity {
            Quantity::Value => (exponent, -factor),
            Quantity::Derivative => {
                // ∂w/∂u = (2πi/h)·w·(1 − w), and z·∂u/∂z = −i·root/(2a·√μ).
                let rest = 1.0 + complex::exp(exponent) * factor;
                let moved = rest * pole.root * (PI / (self.step * self.vertex.sqrt()));
                (exponent, -factor * (pole.slope + moved) / a)
            }
        }
    }

    /// g(u) = 1/(2πi)·eˢ·s^(a−b)/(sᵃ − z)·ds/du, or z·∂g/∂z. With F = 1/(exp(ln z − a·ln s) − 1), which keeps its
    /// digits for small a, sᵃ/(sᵃ − z) = −F and its derivative by ln z is F·(1 + F).
    fn integrand(&self, quantity: Quantity, a: f64, b: f64, ln_z: Complex64, u: f64) -> Complex64 {
        let ln_s = Complex64::new(self.vertex.ln() + (u * u).ln_1p(), 2.0 * u.atan());
        let s = self.vertex * Complex64::new((1.0 - u) * (1.0 + u), 2.0 * u);
        let (exponent, factor) = complex::reciprocal_exp_m1(ln_z - a * ln_s);
        let value = complex::exp(s - b * ln_s + exponent) * factor * Complex64::new(1.0, u) * (-self.vertex / PI);
        match quantity {
            Quantity::Value => value,
            Quantity::Derivative => -value * (1.0 + complex::exp(exponent) * factor),
        }
    }

    /// Σ g(±(k + start)·h) for k = 0, 1, … until the terms vanish.
    fn sum_outwards(&self, start: f64, sign: f64, term: &impl Fn(f64) -> Complex64) -> Complex64 {
        let (mut sum, mut largest) = (Complex64::ZERO, 0.0_f64);
        for k in 0..NODE_COUNT_MAX {
            let value = term(sign * (f64::from(k) + start) * self.step);
            sum += value;
            let size = value.re.abs() + value.im.abs();
            largest = largest.max(size);
            if size <= TOLERANCE * largest {
                break;
            }
        }
        sum
    }
}
