//! Conjugate gradients for the few equations that a repair solves.

use crate::design::dot;

/// The solution of M v = right for a symmetric, positive semidefinite M that is known by its products, as
/// far as so many steps come.
pub(crate) fn conjugate_gradients(
    right: &[f64],
    mut product: impl FnMut(&[f64]) -> Vec<f64>,
    steps: usize,
) -> Vec<f64> {
    let mut found = vec![0.0; right.len()];
    let (mut residual, mut direction) = (right.to_vec(), right.to_vec());
    let mut size = dot(&residual, &residual);
    let goal = f64::EPSILON * f64::EPSILON * size;
    for _ in 0..steps {
        let bent_direction = product(&direction);
        let bent = dot(&direction, &bent_direction);
        if !(bent > 0.0 && size > goal) {
            break;
        }
        let length = size / bent;
        found.iter_mut().zip(&direction).for_each(|(f, p)| *f += length * p);
        residual.iter_mut().zip(&bent_direction).for_each(|(r, p)| *r -= length * p);
        let next = dot(&residual, &residual);
        let keep = next / size;
        size = next;
        direction.iter_mut().zip(&residual).for_each(|(p, r)| *p = r + keep * *p);
    }
    found
}
