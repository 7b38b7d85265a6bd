//! Helpers of all service crates: [`SystemClock`] (the only access to the wall clock), [`off_runtime`]
//! (long computations inside async code), [`InFlight`] (a gauge of work in progress),
//! [`ServerShutdown`] and [`partial_debug!`].
//!
//! Pure crates take `now` as a parameter; a service crate takes a `contract::Clock`, which is a
//! [`SystemClock`] in the binary. To compute for more than a millisecond in async code, pass a closure
//! to [`off_runtime`]. Add a helper here only if two service crates need it.

mod in_flight;
mod off_runtime;
mod server_shutdown;
mod system_clock;

pub use in_flight::InFlight;
pub use off_runtime::off_runtime;
pub use server_shutdown::ServerShutdown;
pub use system_clock::SystemClock;

/// `Debug` with the named fields only: the others are secret or have no `Debug`.
#[macro_export]
macro_rules! partial_debug {
    ($type:ident $(, $field:ident)*) => {
        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($type))
                    $(.field(stringify!($field), &self.$field))*
                    .finish_non_exhaustive()
            }
        }
    };
}
