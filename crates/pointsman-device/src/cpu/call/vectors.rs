//! Loops compiled for the processor's vector instructions.
//!
//! In: a function of slices. Out: the same function, compiled for AVX-512, for AVX2 and for any processor; a call runs the one
//! that the processor can. The instructions are the same in all of them except for the vectors' width: results do not differ.

/// Defines a function of a [`Float`](super::Float) that runs with the widest vectors of the processor.
macro_rules! vectorized {
    ($(#[$attribute:meta])* $visibility:vis fn $name:ident<$float:ident>($($argument:ident: $type:ty),* $(,)?) $body:block) => {
        $(#[$attribute])*
        $visibility fn $name<$float: Float>($($argument: $type),*) {
            #[inline(always)]
            fn any<$float: Float>($($argument: $type),*) $body
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2")]
                fn avx512<$float: Float>($($argument: $type),*) {
                    any($($argument),*);
                }
                #[target_feature(enable = "avx2")]
                fn avx2<$float: Float>($($argument: $type),*) {
                    any($($argument),*);
                }
                if is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                {
                    // SAFETY: the processor has these instructions.
                    return unsafe { avx512($($argument),*) };
                }
                if is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor has these instructions.
                    return unsafe { avx2($($argument),*) };
                }
            }
            any($($argument),*);
        }
    };
}

pub(super) use vectorized;
