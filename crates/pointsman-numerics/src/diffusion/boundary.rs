//! [`Boundary`]: what holds at the ends of an axis, and where its points lie.
//!
//! Every boundary is that of a longer periodic axis: one that continues with opposite values beyond an end where the
//! solution is zero, and with mirrored ones beyond an end without flux. Fourier transforms solve the equation there.

use crate::error::{Error, Result};
use crate::number::Real;
use crate::query::Position;
use pointsman::{Expr, lit, select};

/// What holds at both ends of an axis of length L with n points. It also says where the points are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Boundary {
    /// These values at the first and at the last end, which are not among the points: x_i = (i + 1) · L/(n + 1).
    Dirichlet([f64; 2]),
    /// No flux through the ends: x_i = (i + ½) · L/n. The sum of the values changes by sources alone.
    Neumann,
    /// The end is the beginning: x_i = i · L/n.
    Periodic,
}

impl Boundary {
    /// The place of the first point, in steps.
    pub(super) const fn offset(self) -> f64 {
        match self {
            Boundary::Dirichlet(_) => 1.0,
            Boundary::Neumann => 0.5,
            Boundary::Periodic => 0.0,
        }
    }
}

/// An axis with its points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) length: f64,
    pub(super) boundary: Boundary,
    pub(super) points: usize,
}

/// Where the number of a longer axis comes from.
pub(super) struct Mirrored<I, R> {
    /// Its index on the axis itself.
    pub(super) index: Expr<I>,
    /// What it is multiplied by; `None` is 1.
    pub(super) sign: Option<Expr<R>>,
}

impl Side {
    pub(super) fn new(length: f64, boundary: Boundary, points: usize) -> Result<Side> {
        let operation = "FractionalDiffusion";
        if !(length.is_finite() && length > 0.0) {
            return Err(Error::Domain { operation, argument: "length", value: length, allowed: "positive and finite" });
        }
        if let Boundary::Dirichlet(ends) = boundary
            && let Some(&value) = ends.iter().find(|end| !end.is_finite())
        {
            return Err(Error::Domain { operation, argument: "value at an end", value, allowed: "finite" });
        }
        Ok(Side { length, boundary, points })
    }

    /// An axis of a single point, along which nothing changes.
    pub(super) const fn none() -> Side {
        Side { length: 1.0, boundary: Boundary::Periodic, points: 1 }
    }

    /// The distance of the points.
    pub(super) fn step(self) -> f64 {
        let intervals = match self.boundary {
            Boundary::Dirichlet(_) => self.points + 1,
            Boundary::Neumann | Boundary::Periodic => self.points,
        };
        self.length / intervals as f64
    }

    /// The points of the longer periodic axis.
    pub(super) const fn extended(self) -> usize {
        match self.boundary {
            Boundary::Dirichlet(_) => 2 * (self.points + 1),
            Boundary::Neumann => 2 * self.points,
            Boundary::Periodic => self.points,
        }
    }

    /// The index of the first point on the longer axis.
    pub(super) const fn first(self) -> usize {
        match self.boundary {
            Boundary::Dirichlet(_) => 1,
            Boundary::Neumann | Boundary::Periodic => 0,
        }
    }

    /// Where the number at an index of the longer axis comes from.
    #[track_caller]
    pub(super) fn mirrored<I: Position, R: Real>(self, index: Expr<I>) -> Mirrored<I, R> {
        let size = |size: usize| I::wrapping(size as isize);
        let [zero, one] = [0.0, 1.0].map(R::from_f64);
        match self.boundary {
            // 0, the points, 0, the points backwards with the opposite sign.
            Boundary::Dirichlet(_) => {
                let is_zero = index.eq(size(0)) | index.eq(size(self.points + 1));
                let is_behind = index.gt(size(self.points + 1));
                let inside: Expr<I> = select(is_behind, lit(size(2 * self.points + 1)) - index, index - size(1));
                let sign = select(is_behind, lit(R::from_f64(-1.0)), lit(one));
                Mirrored { index: select(is_zero, lit(size(0)), inside), sign: Some(select(is_zero, lit(zero), sign)) }
            }
            // The points, the points backwards.
            Boundary::Neumann => {
                let is_behind = index.ge(size(self.points));
                Mirrored { index: select(is_behind, lit(size(2 * self.points - 1)) - index, index), sign: None }
            }
            Boundary::Periodic => Mirrored { index, sign: None },
        }
    }

    /// The eigenvalues of −d²/dx² by central differences on the longer axis.
    pub(super) fn eigenvalues(self) -> impl Fn(usize) -> f64 {
        let (step, length) = (self.step(), self.extended() as f64);
        move |frequency| {
            let half = (std::f64::consts::PI * frequency as f64 / length).sin() / step;
            4.0 * half * half
        }
    }

    /// The values at the ends, divided by the square of the step, if they are not zero: what they add to the Laplacian
    /// at the first and at the last point.
    pub(super) fn end_terms(self) -> Option<[f64; 2]> {
        match self.boundary {
            Boundary::Dirichlet(ends) if ends != [0.0, 0.0] => Some(ends.map(|end| end / (self.step() * self.step()))),
            Boundary::Dirichlet(_) | Boundary::Neumann | Boundary::Periodic => None,
        }
    }
}
