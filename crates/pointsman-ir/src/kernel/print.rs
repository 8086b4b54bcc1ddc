//! TBD.
/// TBD.
pub fn print(kernel: &super::Kernel) -> String {
    format!("{kernel:?}")
}
