//! The standard streams that the process was started with.

use std::os::fd::AsFd;

use rustix::fs::{OFlags, fcntl_getfl, fstat, stat};

/// Whether the program was started with this stream closed. The standard library then opens `/dev/null` in its place,
/// for reading and writing, which `> /dev/null` does not.
pub fn was_closed(stream: impl AsFd) -> bool {
    let is_null = || -> rustix::io::Result<bool> {
        let both_ways = fcntl_getfl(&stream)?.contains(OFlags::RDWR);
        Ok(both_ways && fstat(&stream)?.st_rdev == stat("/dev/null")?.st_rdev)
    };
    is_null().unwrap_or(false)
}
