//! Mounted file systems that a walk skips.

use std::os::fd::OwnedFd;

const KERNEL: &str = "a file system of the kernel";
const NETWORK: &str = "a network or user file system: name a directory in it to search it";
const IMAGE: &str = "a mounted image or the file system of a container";

/// File systems that a walk may not enter, by their magic numbers in `linux/magic.h`.
#[cfg(target_os = "linux")]
const NOT_WALKED: &[(u32, &str)] = &[
    (0x0000_9fa0, KERNEL),  // proc
    (0x6265_6572, KERNEL),  // sysfs
    (0x0027_e0eb, KERNEL),  // cgroup
    (0x6367_7270, KERNEL),  // cgroup2
    (0x6462_6720, KERNEL),  // debugfs
    (0x7472_6163, KERNEL),  // tracefs
    (0x7363_6673, KERNEL),  // securityfs
    (0xcafe_4a11, KERNEL),  // bpf
    (0x6165_676c, KERNEL),  // pstore
    (0xde5e_81e4, KERNEL),  // efivarfs
    (0x0000_1cd1, KERNEL),  // devpts
    (0x1980_0202, KERNEL),  // mqueue
    (0x9584_58f6, KERNEL),  // hugetlbfs
    (0x0000_0187, NETWORK), // autofs
    (0x0000_6969, NETWORK), // nfs
    (0x0000_517b, NETWORK), // smb
    (0xff53_4d42, NETWORK), // cifs
    (0xfe53_4d42, NETWORK), // smb2
    (0x6573_5546, NETWORK), // fuse
    (0x0102_1997, NETWORK), // 9p
    (0x00c3_6400, NETWORK), // ceph
    (0x5346_414f, NETWORK), // afs
    (0x7371_7368, IMAGE),   // squashfs
    (0x0000_9660, IMAGE),   // iso9660
    (0x794c_7630, IMAGE),   // overlay
];

pub(super) fn device(dir: &OwnedFd) -> Option<u64> {
    #[expect(
        clippy::useless_conversion,
        reason = "its width differs between systems"
    )]
    rustix::fs::fstat(dir)
        .ok()
        .map(|stat| u64::from(stat.st_dev))
}

/// Why a walk does not enter a directory that is a mount point. The kernel's own file systems are endless. A walk from
/// `/` enters no others either: a server may take minutes to list files that nobody asked for. A folder that the person
/// names is walked anyway.
pub(super) fn mounted(
    dir: &OwnedFd,
    dev: u64,
    above: Option<u64>,
    from_top: bool,
) -> Option<&'static str> {
    above.filter(|above| *above != dev)?;
    file_system(dir).filter(|why| from_top || *why == KERNEL)
}

#[cfg(target_os = "linux")]
fn file_system(dir: &OwnedFd) -> Option<&'static str> {
    let magic =
        u32::try_from(i128::from(rustix::fs::fstatfs(dir).ok()?.f_type) & 0xffff_ffff).ok()?;
    let known = NOT_WALKED.iter().find(|(number, _)| *number == magic);
    known.map(|(_, why)| *why)
}

#[cfg(not(target_os = "linux"))]
fn file_system(_: &OwnedFd) -> Option<&'static str> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_walk_skips_the_file_systems_of_the_kernel() {
        let open = |path: &std::path::Path| OwnedFd::from(std::fs::File::open(path).unwrap());
        let proc = open("/proc".as_ref());
        let dev = device(&proc).unwrap();
        let home = tempfile::tempdir().unwrap();
        for from_top in [true, false] {
            let why = |dir, above| mounted(dir, dev, above, from_top);
            assert_eq!(why(&proc, Some(dev + 1)), Some(KERNEL));
            assert_eq!(why(&proc, Some(dev)), None);
            assert_eq!(why(&proc, None), None, "it was named");
            assert_eq!(why(&open(home.path()), Some(dev + 1)), None);
        }
    }
}
