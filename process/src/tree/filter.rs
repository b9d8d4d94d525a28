//! A filter of the system calls that reach beyond namespaces: the keys of the kernel, sockets to the host of a virtual machine, and
//! set-user-id files, which run with the rights of this user for everybody else.

use std::env::consts::ARCH;
use std::io;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

/// The system calls that read and change keys. No namespace has keys of its own.
const KEYS: [i64; 3] = [libc::SYS_add_key, libc::SYS_request_key, libc::SYS_keyctl];

/// The system calls that give a file its mode, and the index of the argument that is the mode. The last one has no name in libc.
#[cfg(target_arch = "x86_64")]
const MODES: [(i64, u8); 10] = [
    (libc::SYS_chmod, 1),
    (libc::SYS_creat, 1),
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (libc::SYS_mkdir, 1),
    (libc::SYS_mknod, 1),
    (libc::SYS_mknodat, 2),
    (libc::SYS_open, 2),
    (libc::SYS_openat, 3),
    (452, 2),
];
#[cfg(not(target_arch = "x86_64"))]
const MODES: [(i64, u8); 5] =
    [(libc::SYS_fchmod, 1), (libc::SYS_fchmodat, 2), (libc::SYS_mknodat, 2), (libc::SYS_openat, 3), (452, 2)];

/// System calls that can do the same out of the filter's sight, because their arguments are in memory. Programs do without them on
/// older kernels.
const UNSEEN: [i64; 2] = [libc::SYS_openat2, libc::SYS_io_uring_setup];

/// Added to the number of a system call of the x32 ABI, which some kernels for x86-64 have.
const X32: i64 = 0x4000_0000;

/// A compiled filter: of the calls that fail with `EPERM`, and of those that fail with `ENOSYS`.
#[derive(Debug)]
pub(crate) struct Filter([BpfProgram; 2]);

impl Filter {
    /// Compiles the filter.
    pub(crate) fn new() -> io::Result<Self> {
        Self::compile().map_err(|error| io::Error::new(io::ErrorKind::Unsupported, error.to_string()))
    }

    fn compile() -> Result<Self, BackendError> {
        let when = |argument, operator, value| {
            SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?])
        };
        let mut refused: Vec<(i64, Vec<SeccompRule>)> = KEYS.map(|call| (call, Vec::new())).into();
        let family = u64::from(libc::AF_VSOCK.unsigned_abs());
        refused.push((libc::SYS_socket, vec![when(0, SeccompCmpOp::Eq, family)?]));
        let set_user_id = u64::from(libc::S_ISUID);
        for (call, mode) in MODES {
            refused.push((call, vec![when(mode, SeccompCmpOp::MaskedEq(set_user_id), set_user_id)?]));
        }
        let unseen = UNSEEN.map(|call| (call, Vec::new())).into();
        Ok(Self([program(refused, libc::EPERM)?, program(unseen, libc::ENOSYS)?]))
    }

    /// Applies the filter to this thread, and so to the programs that it starts. It makes system calls and allocates no memory.
    pub(crate) fn apply(&self) -> io::Result<()> {
        self.0.iter().try_for_each(|program| apply_filter(program)).map_err(|error| match error {
            seccompiler::Error::Prctl(error) | seccompiler::Error::Seccomp(error) => error,
            _ => io::ErrorKind::Other.into(),
        })
    }
}

/// Returns a filter in which the calls that match a rule, or have none, fail with `errno`.
fn program(calls: Vec<(i64, Vec<SeccompRule>)>, errno: i32) -> Result<BpfProgram, BackendError> {
    let with_x32 = calls.into_iter().flat_map(|(call, rules)| [(call, rules.clone()), (call + X32, rules)]);
    let refuse = SeccompAction::Errno(errno.unsigned_abs());
    SeccompFilter::new(with_x32.collect(), SeccompAction::Allow, refuse, TargetArch::try_from(ARCH)?)?.try_into()
}
