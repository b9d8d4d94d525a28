//! A filter of the system calls that reach beyond namespaces: the keys of the kernel, and sockets to the host of a virtual machine.

use std::env::consts::ARCH;
use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter,
};

/// The system calls that read and change keys. No namespace has keys of its own.
const KEYS: [i64; 3] = [libc::SYS_add_key, libc::SYS_request_key, libc::SYS_keyctl];

/// Added to the number of a system call of the x32 ABI, which some kernels for x86-64 have.
const X32: i64 = 0x4000_0000;

/// A compiled filter.
#[derive(Debug)]
pub(crate) struct Filter(BpfProgram);

impl Filter {
    /// Compiles the filter. A refused call fails with `EPERM`.
    pub(crate) fn new() -> io::Result<Self> {
        let error = |error: seccompiler::BackendError| io::Error::new(io::ErrorKind::Unsupported, error.to_string());
        let arch = TargetArch::try_from(ARCH).map_err(error)?;
        let family = u64::try_from(libc::AF_VSOCK).unwrap_or_default();
        let is_vsock = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, family).map_err(error)?;
        let vsock = SeccompRule::new(vec![is_vsock]).map_err(error)?;
        let rules = KEYS.into_iter().map(|call| (call, Vec::new())).chain([(libc::SYS_socket, vec![vsock])]);
        let with_x32 = rules.flat_map(|(call, rules)| [(call, rules.clone()), (call + X32, rules)]);
        let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
        let filter = SeccompFilter::new(with_x32.collect(), SeccompAction::Allow, refuse, arch).map_err(error)?;
        Ok(Self(filter.try_into().map_err(error)?))
    }

    /// Applies the filter to this thread, and so to the programs that it starts. It makes two system calls and allocates no memory.
    pub(crate) fn apply(&self) -> io::Result<()> {
        apply_filter(&self.0).map_err(|error| match error {
            seccompiler::Error::Prctl(error) | seccompiler::Error::Seccomp(error) => error,
            _ => io::ErrorKind::Other.into(),
        })
    }
}
