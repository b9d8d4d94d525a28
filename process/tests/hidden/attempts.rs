//! What programs that do not see a folder try, to read it anyway.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use toolc_process::{HiddenFolder, Process};
use toolc_test_support::programs::has;
use toolc_test_support::skip;

use crate::{Scene, Text, is_available};

/// A program that tries something. It prints `happened`, or the text of the file, if it succeeds.
enum Script {
    Shell(&'static str),
    Python(&'static str),
}
use Script::{Python, Shell};

/// The text of the file `secret` in the hidden folder.
const SECRET: &str = "hidden text";

/// Each attempt. The variables are those of [`Outside::variables`].
///
/// These read the folder by another path.
const PATHS: &[Script] = &[
    Shell("cat $H/secret"),
    Shell("cat $P/../${P##*/}/home/secret"),
    Shell("cat /proc/self/root$H/secret"),
    Shell("cat /proc/self/cwd/home/secret"),
    Shell("cat /proc/thread-self/root$H/secret"),
    Shell("cat /proc/1/root$H/secret"),
    Shell("cat /proc/$HOST/root$H/secret"),
    Shell("cat /proc/$HOST/cwd/secret; cat /proc/$HOST/cwd/home/secret"),
    Shell("cat /proc/$HOST/task/*/root$H/secret"),
    Shell("cat /proc/$HOST/task/*/fd/*"),
    Shell("for p in /proc/[0-9]*; do cat $p/root$H/secret; done"),
    Shell("for p in /proc/[0-9]*; do cat $p/cwd/secret $p/cwd/home/secret; done"),
    Shell("for p in $OUTSIDERS; do cat /proc/$p/root$H/secret /proc/$p/cwd/secret; done"),
    Shell("for p in $OUTSIDERS; do cd /proc/$p/cwd && cat secret; done"),
    Shell("for p in $OUTSIDERS; do cat /proc/$p/task/$p/cwd/secret; done"),
    Shell("for p in $HOST $OUTSIDERS; do cat /proc/$p/fd/0; done < /dev/null"),
    Shell("for p in $HOST $OUTSIDERS; do cat /proc/$p/map_files/*; done"),
    Shell("for f in /dev/fd/* /proc/self/fd/*; do [ -f $f ] && cat $f; done"),
    Shell("cat <&3; cat <&4; cat <&5; cat <&6; cat <&7; cat <&8; cat <&9"),
    Shell("find $P -type f -exec cat {} +"),
    Shell("grep -rh . $P"),
    Shell("tar -C $P -cf - home | tar -xOf -"),
    Shell("cp -a $H $T/copy; cat $T/copy/secret"),
    Shell("cp -al $P/home $T/hard; cat $T/hard/secret"),
    Shell("ln $H/secret $T/link; cat $T/link"),
    Shell("ln -s $H $T/home; cat $T/home/secret"),
    Shell("mv $H $T/away; cat $T/away/secret"),
    Shell("mv $P $P.away; cat $P.away/home/secret; mv $P.away $P"),
    Shell("rm -rf $H; rmdir $H; ls $H/secret && cat $H/secret"),
    Shell("cd $H/skills && cat ../secret"),
    Shell("cd $H/skills && cat $(pwd -P)/../secret"),
    Shell("cd $H/skills/.. && ls | grep -x secret && echo happened"),
    Shell("cat $H/cache/results/../../secret"),
    Shell("dd if=$H/secret; head $H/secret; od -c $H/secret"),
    Shell("sh -c 'exec 3< $H/secret; cat <&3'"),
    Shell("setsid -f sh -c 'cat $H/secret > $T/out'; sleep 0.2; cat $T/out"),
    Shell("env -i /bin/cat $H/secret"),
    Shell("chroot / cat $H/secret"),
    Shell("chroot /proc/$HOST/root cat $H/secret"),
    Shell("chroot /proc/1/root cat $H/secret"),
    Python(
        "os.mkdir(T+'/jail'); os.chroot(T+'/jail'); [os.chdir('..') for _ in range(64)]; os.chroot('.'); print(open(H+'/secret').read())",
    ),
    Python("fd = os.open('/', os.O_PATH); print(open(os.open(H[1:]+'/secret', os.O_RDONLY, dir_fd=fd)).read())"),
    Python("print(os.read(os.open('secret', os.O_RDONLY, dir_fd=os.open(H, os.O_PATH)), 99))"),
    // openat2 with RESOLVE_IN_ROOT.
    Python(
        "how = struct.pack('QQQ', 0, 0, 0x10); fd = call(437, os.open('/', os.O_PATH), (H+'/secret').encode(), how, 24); print(os.read(fd, 99))",
    ),
    Python("s = socket.socket(socket.AF_UNIX); s.connect(H+'/socket'); print('happened')"),
    Python("s = socket.socket(socket.AF_UNIX); s.connect('/proc/%s/root%s/socket' % (HOST, H)); print('happened')"),
    Python("s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.connect(H+'/../home/socket'); print('happened')"),
];

/// These change the mounts, if need be in namespaces of their own.
const MOUNTS: &[Script] = &[
    Shell("umount $H; cat $H/secret"),
    Shell("umount -l $H; cat $H/secret"),
    Shell("umount -R $P; umount -R /; cat $H/secret"),
    Shell("mount --bind / $T && cat $T$H/secret"),
    Shell("mount --rbind / $T; umount -l $T$H; cat $T$H/secret"),
    Shell("mount --bind $P $T; cat $T/home/secret"),
    Shell("mount --rbind $P $T; umount -l $T/home; cat $T/home/secret"),
    Shell("mount --move $H $T; cat $H/secret"),
    Shell("mount -o remount,bind,rw $H && echo happened"),
    Shell("mount --make-rprivate /; umount -l $H; cat $H/secret"),
    Shell("mount --make-rshared /; umount -l $H; cat $H/secret"),
    Shell(
        "mkdir $T/u $T/w $T/m; mount -t overlay -o lowerdir=$P,upperdir=$T/u,workdir=$T/w none $T/m; cat $T/m/home/secret",
    ),
    Shell("mkdir $T/m; mount -t overlay -o lowerdir=$P:$T none $T/m; cat $T/m/home/secret"),
    Shell("mkdir $T/m; mount -t proc proc $T/m; cat $T/m/$HOST/root$H/secret"),
    Shell(
        "mount -t tmpfs none $T; mkdir $T/old; pivot_root $T $T/old; cat /old$H/secret; umount -l /old$H; cat /old$H/secret",
    ),
    Shell(
        "mkdir $T/m; for d in $(grep -o '/dev/[^ ]*' /proc/self/mountinfo); do mount -o ro $d $T/m; done; cat $T/m$H/secret",
    ),
    Shell("unshare -Urm sh -c 'umount -l $H; mount --bind / $T; cat $H/secret $T$H/secret'"),
    Shell("unshare -Urm unshare -m sh -c 'umount -l $H; cat $H/secret'"),
    Shell("unshare -Urmpf --mount-proc sh -c 'umount -l $H; cat $H/secret; cat /proc/1/root$H/secret'"),
    Shell("unshare -m --propagation unchanged umount -l $H; cat $H/secret"),
    Shell("unshare -m --propagation shared mount --bind $P/home $T; cat $T/secret"),
    Shell("nsenter -t $HOST -m cat $H/secret"),
    Shell("nsenter -t $HOST -U -m cat $H/secret"),
    Shell("nsenter -t $HOST -U --preserve-credentials umount $H; cat $H/secret"),
    Shell("nsenter -t 1 -m cat $H/secret"),
    Shell("nsenter -t 1 -a cat $H/secret"),
    Shell("for p in $OUTSIDERS; do nsenter -t $p -m cat $H/secret; nsenter -t $p -U -m cat $H/secret; done"),
    Shell("nsenter --mount=/proc/$HOST/task/$HOST/ns/mnt cat $H/secret"),
    Shell("nsenter --user=/proc/self/ns/user umount $H; cat $H/secret"),
    Shell("setpriv --inh-caps +all umount $H; cat $H/secret"),
    Shell("setpriv --inh-caps +sys_admin --ambient-caps +sys_admin umount $H; cat $H/secret"),
    Shell("cp $(command -v umount) $T/u && setcap cap_sys_admin+ep $T/u; chmod u+s $T/u; $T/u $H; cat $H/secret"),
    Shell(
        "mknod $T/fuse c 10 229; mount -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 x $T 3<> $T/fuse && echo happened",
    ),
    // open_tree without AT_RECURSIVE, and move_mount.
    Python("fd = call(428, -100, P.encode(), 1); print(os.read(os.open('home/secret', 0, dir_fd=fd), 99))"),
    Python("fd = call(428, -100, b'/', 1); print(os.read(os.open(H[1:]+'/secret', 0, dir_fd=fd), 99))"),
    Python(
        "fd = call(428, -100, H.encode(), 0); call(429, fd, b'', -100, T.encode(), 4); print(open(H+'/secret').read())",
    ),
    // umount2 with MNT_DETACH, MNT_FORCE and MNT_EXPIRE.
    Python("[call(166, H.encode(), flags) for flags in (2, 1, 4, 4, 10)]; print(open(H+'/secret').read())"),
    // mount_setattr, which would make the cover writable.
    Python(
        "call(442, -100, H.encode(), 0, struct.pack('QQQQ', 0, 1, 0, 0), 32); open(H+'/new', 'w'); print('happened')",
    ),
    // A mount beneath the cover, which then is on top: MOVE_MOUNT_BENEATH.
    Python(
        "fd = call(428, -100, P.encode(), 1 | 0x8000); call(429, fd, b'', -100, H.encode(), 4 | 0x200); call(166, H.encode(), 2); print(open(H+'/home/secret').read(), open(H+'/secret').read())",
    ),
    // pivot_root to the root itself.
    Python("call(155, b'.', b'.'); call(166, b'.', 2); print(open(H+'/secret').read())"),
    Python("libc.unshare(0x10020000); call(166, H.encode(), 2); print(open(H+'/secret').read())"),
    // setns with the file of a process: pidfd_open.
    Python("fd = call(434, int(HOST), 0); libc.setns(fd, 0x10020000); print(open(H+'/secret').read())"),
    Python("fd = call(434, int(HOST), 0); libc.setns(fd, 0x20000); print(open(H+'/secret').read())"),
    Python(
        "[libc.setns(os.open('/proc/%s/ns/%s' % (p, n), 0), 0) for n in ('user', 'mnt') for p in [HOST]]; print(open(H+'/secret').read())",
    ),
];

/// These use memory, descriptors, handles and keys, and the rights of other processes.
const KERNEL: &[Script] = &[
    Shell("tr '\\0' '\\n' < /proc/$HOST/environ | grep -q . && echo happened"),
    Shell("for p in $OUTSIDERS; do tr '\\0' '\\n' < /proc/$p/environ | grep -q . && echo happened; done"),
    Shell("cat /proc/$HOST/maps | grep -q . && echo happened"),
    Shell("cat /proc/$HOST/auxv | grep -q . && echo happened"),
    Shell("ls -l /proc/$HOST/fd | grep -q / && echo happened"),
    Python("f = open('/proc/%s/mem' % HOST, 'rb'); f.seek(int(ADDRESS)); print(f.read(11))"),
    Python("f = open('/proc/%s/mem' % HOST, 'r+b'); f.seek(int(ADDRESS)); f.write(b'happened'); print('happened')"),
    // process_vm_readv.
    Python(
        "b = ctypes.create_string_buffer(11); v = lambda a: struct.pack('QQ', a, 11); call(310, int(HOST), v(ctypes.addressof(b)), 1, v(int(ADDRESS)), 1, 0); print(b.raw)",
    ),
    // ptrace: attach and seize.
    Python("call(101, 16, int(HOST), 0, 0); print('happened'); call(101, 17, int(HOST), 0, 0)"),
    Python("call(101, 0x4206, int(HOST), 0, 0); print('happened')"),
    Python("[(call(101, 16, int(p), 0, 0), print('happened')) for p in OUTSIDERS.split()]"),
    // pidfd_getfd.
    Python("fd = call(434, int(HOST), 0); [print(os.pread(call(438, fd, n, 0), 99, 0)) for n in range(3, 64)]"),
    Python(
        "for n in range(0, 64):\n  try: print(os.pread(call(438, call(434, int(HOST), 0), n, 0), 99, 0))\n  except OSError: pass",
    ),
    // kcmp.
    Python("call(312, int(HOST), os.getpid(), 3, 0, 0); print('happened')"),
    // perf_event_open on the host.
    Python(
        "call(298, struct.pack('IIQQQQQ', 1, 112, 0, 0, 0, 0, 0) + bytes(64), int(HOST), -1, -1, 0); print('happened')",
    ),
    // open_by_handle_at with the inode of the file: FILEID_INO32_GEN, any generation, and FILEID_INO32_GEN_PARENT.
    Python("print(os.read(call(304, os.open(P, 0), struct.pack('IiII', 8, 1, int(INODE), 0), 0), 99))"),
    Python(
        "print(os.read(call(304, os.open(P, 0), struct.pack('IiIIII', 16, 2, int(INODE), 0, int(PARENT_INODE), 0), 0), 99))",
    ),
    Python(
        "print(os.listdir(call(304, os.open('/', 0), struct.pack('IiII', 8, 1, int(PARENT_INODE), 0), 0)) and 'happened')",
    ),
    Python("h = struct.pack('IiII', 8, 1, int(INODE), 0); print(os.read(call(304, os.open(T, 0), h, 0), 99))"),
    Shell(
        "unshare -Urm /usr/bin/python3 -c \"import ctypes,os,struct; h=struct.pack('IiII', 8, 1, $INODE, 0); print(os.read(ctypes.CDLL(None).syscall(304, os.open('$P', 0), h, 0), 99))\"",
    ),
    // The keys of the host: keyctl with KEYCTL_READ, KEYCTL_SEARCH, KEYCTL_SETPERM, KEYCTL_LINK and KEYCTL_GET_KEYRING_ID.
    Python("b = ctypes.create_string_buffer(99); call(250, 11, int(KEY), b, 99); print(b.raw)"),
    Python(
        "b = ctypes.create_string_buffer(99); k = call(250, 10, -3, b'user', b'toolc-test', 0); call(250, 11, k, b, 99); print(b.raw)",
    ),
    Python(
        "call(250, 5, int(KEY), 0x3f3f3f3f); b = ctypes.create_string_buffer(99); call(250, 11, int(KEY), b, 99); print(b.raw)",
    ),
    Python(
        "call(250, 8, int(KEY), -3); b = ctypes.create_string_buffer(99); call(250, 11, int(KEY), b, 99); print(b.raw)",
    ),
    Python(
        "k = call(249, b'user', b'toolc-test', None, 0); b = ctypes.create_string_buffer(99); call(250, 11, k, b, 99); print(b.raw)",
    ),
    Python("call(250, 1, b'_ses'); k = call(250, 10, -3, b'user', b'toolc-test', 0); print('happened')"),
    Python("call(250, 22, -1, -3); k = call(250, 10, -3, b'user', b'toolc-test', 0); print('happened')"),
    // The kernel: modules, another kernel, ports, its memory, programs in it, file events by handles.
    Python("e = error(lambda: call(175, b'x', 1, b'')); print(e if e in (1, 38) else 'happened')"),
    Python("e = error(lambda: call(246, 0, 0, 0, 0)); print(e if e in (1, 38) else 'happened')"),
    Python("e = error(lambda: call(172, 3)); print(e if e else 'happened')"),
    Python("e = error(lambda: call(173, 0x3f8, 8, 1)); print(e if e else 'happened')"),
    Python("print(open('/dev/mem', 'rb').read(1) and 'happened')"),
    Python("print(open('/proc/kcore', 'rb').read(1) and 'happened')"),
    Python("call(321, 5, struct.pack('IIQQ', 2, 2, 0, 0) + bytes(96), 120); print('happened')"),
    Python("call(301, call(300, 0x600, 0), 0x101, 2, -100, b'/'); print('happened')"),
    // Programs that the kernel starts. The same text is written again.
    Shell(
        "for f in core_pattern modprobe hotplug poweroff_cmd; do t=$(cat /proc/sys/kernel/$f) && printf %s \"$t\" > /proc/sys/kernel/$f && echo happened; done",
    ),
    Shell("f=/sys/kernel/uevent_helper; t=$(cat $f) && printf '%s\\n' \"$t\" > $f && echo happened"),
    Shell("[ -e /proc/sys/fs/binfmt_misc/status ] && echo 1 > /proc/sys/fs/binfmt_misc/status && echo happened"),
    Shell(
        "for f in /sys/fs/cgroup/*/release_agent; do t=$(cat $f) && printf '%s\\n' \"$t\" > $f && echo happened; done",
    ),
    // Other users, and rights of files.
    Shell(
        "for p in $OUTSIDERS; do setpriv --reuid=65534 --regid=65534 --clear-groups cat /proc/$p/root$H/secret; done",
    ),
    Python(
        "d = bytes([1,0,0,2]) + struct.pack('IIII', 2, 0, 0, 0); t = T + '/cat'; shutil.copy('/bin/cat', t); os.chmod(T, 0o755); os.setxattr(t, 'security.capability', d)\nfor p in OUTSIDERS.split(): os.system('setpriv --reuid=65534 --regid=65534 --clear-groups %s /proc/%s/root%s/secret' % (t, p, H))",
    ),
    Python(
        "[(libc.setfsgid(g), libc.setfsuid(g), call(126, struct.pack('II', 0x20080522, 0), caps()), print(open('/proc/%s/root%s/secret' % (p, H)).read())) for g in (65534,) for p in OUTSIDERS.split()[1:2]]",
    ),
    Shell(
        "for p in $OUTSIDERS; do setpriv --bounding-set=-all,+chown --inh-caps=-all cat /proc/$p/root$H/secret; done",
    ),
    Shell("for p in $OUTSIDERS; do unshare -Ur cat /proc/$p/root$H/secret; done"),
    Shell("gdb -p $HOST -batch -ex 'info proc' 2> /dev/null | grep -q exe && echo happened"),
    Shell("strace -p $HOST -o $T/trace & sleep 0.3; kill $!; [ -s $T/trace ] && echo happened"),
];

/// Imports and functions for the programs in Python.
const PRELUDE: &str = "\
import ctypes, errno, os, shutil, socket, struct, sys
globals().update({name: os.environ[name] for name in os.environ['NAMES'].split()})
libc = ctypes.CDLL(None, use_errno=True)
def call(*args):
    result = libc.syscall(*[ctypes.c_long(arg) if isinstance(arg, int) else arg for arg in args])
    if result == -1: raise OSError(ctypes.get_errno(), str(args))
    return result
def error(function):
    try: function()
    except OSError as error: return error.errno
    return 0
def caps():
    b = ctypes.create_string_buffer(24)
    call(125, struct.pack('II', 0x20080522, 0), b)
    e0, p0, i0, e1, p1, i1 = struct.unpack('IIIIII', b.raw)
    return struct.pack('IIIIII', p0, p0, i0, p1, p1, i1)
";

/// What is outside of the namespace.
struct Outside {
    scene: Scene,
    scratch: tempfile::TempDir,
    /// Processes of this user, and if that is root, of another user and with fewer capabilities. The working directory of the first is in
    /// the hidden folder.
    outsiders: Vec<Child>,
    /// An open file of the host.
    _open: File,
    _socket: UnixListener,
    /// Memory of the host.
    memory: String,
    key: i64,
}

impl Outside {
    fn new() -> Self {
        let scene = Scene::new();
        let file = File::open(scene.home.join("secret")).expect("it exists");
        let sleep = |words: &[&str], folder: &Path| {
            let mut command = Command::new(words[0]);
            command.args(&words[1..]).args(["sleep", "600"]).current_dir(folder).stdin(Stdio::null());
            command.spawn().expect("failed to start")
        };
        let mut outsiders = vec![sleep(&["env"], &scene.home)];
        if rustix::process::geteuid().is_root() {
            let user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
            outsiders.push(sleep(&user, Path::new("/")));
            outsiders.push(sleep(&["setpriv", "--bounding-set=-all,+chown", "--inh-caps=-all"], Path::new("/")));
        }
        let socket = UnixListener::bind(scene.home.join("socket")).expect("failed to listen");
        let memory = SECRET.to_owned();
        let key = std::env::var("TOOLC_TEST_KEY").ok().and_then(|key| key.parse().ok()).unwrap_or(0);
        let scratch = tempfile::TempDir::new().expect("failed to make a folder");
        Self { scene, scratch, outsiders, _open: file, _socket: socket, memory, key }
    }

    fn variables(&self, scratch: &Path) -> Vec<(&'static str, String)> {
        let inode = |path: &Path| fs::metadata(path).expect("it exists").ino().to_string();
        let ids: Vec<String> = self.outsiders.iter().map(|child| child.id().to_string()).collect();
        let home = self.scene.home.canonicalize().expect("it exists");
        let mut variables = vec![
            ("P", home.parent().expect("a folder").display().to_string()),
            ("H", home.display().to_string()),
            ("T", scratch.display().to_string()),
            ("HOST", std::process::id().to_string()),
            ("OUTSIDERS", ids.join(" ")),
            ("ADDRESS", (self.memory.as_ptr() as usize).to_string()),
            ("INODE", inode(&home.join("secret"))),
            ("PARENT_INODE", inode(&home)),
            ("KEY", self.key.to_string()),
        ];
        let names: Vec<&str> = variables.iter().map(|(name, _)| *name).collect();
        variables.push(("NAMES", names.join(" ")));
        variables
    }

    /// Runs a script, and returns what it has printed.
    fn run(&self, number: usize, script: &Script, before: &str) -> String {
        let scratch = self.scratch.path().join(number.to_string());
        fs::create_dir_all(&scratch).expect("failed to make a folder");
        let mut command = Command::new("sh");
        match script {
            Shell(line) => command.args(["-c", &format!("{before} sh -c \"$0\""), line]),
            Python(code) => {
                command.args(["-c", &format!("{before} /usr/bin/python3 -c \"$0\""), &format!("{PRELUDE}{code}")])
            }
        };
        command.current_dir(self.scene.folder.path()).envs(self.variables(&scratch));
        let mut process = Process::new(command);
        process.hide(&self.scene.hidden()).expect("the folder can be hidden");
        let output = process.output(Text::default()).expect("a pipe");
        let started = Instant::now();
        process.run(None, || started.elapsed() > Duration::from_secs(30)).expect("it starts");
        String::from_utf8_lossy(&output.take().0).into_owned()
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        for outsider in &mut self.outsiders {
            let _ = outsider.kill();
            let _ = outsider.wait();
        }
    }
}

#[test]
fn no_attempt_reads_a_hidden_folder() {
    if !is_available() || !has("setpriv") || !has("python3") {
        return;
    }
    if let Some(caveat) = HiddenFolder::caveat() {
        return skip(caveat, "a kernel with Landlock");
    }
    let outside = Outside::new();
    let mut succeeded = Vec::new();
    let mut number = 0;
    // Without anything, and as root of new namespaces.
    for before in ["", "unshare -Urm", "unshare -m"] {
        for script in PATHS.iter().chain(MOUNTS).chain(KERNEL) {
            if !before.is_empty() && PATHS.iter().any(|path| std::ptr::eq(path, script)) {
                continue;
            }
            number += 1;
            let text = outside.run(number, script, before);
            let printed = text.lines().any(|line| line.contains(SECRET) || line.trim() == "happened");
            if printed {
                let (Shell(code) | Python(code)) = script;
                succeeded.push(format!("{before} {code}\n{text}"));
            }
        }
    }
    assert!(number > 200, "{number}");
    assert!(succeeded.is_empty(), "{} of {number}:\n{}", succeeded.len(), succeeded.join("\n"));
}

#[test]
fn attempts_succeed_where_nothing_is_hidden() {
    let scene = Scene::new();
    for line in ["cat home/secret", "cat /proc/self/cwd/home/secret", "cp -a home copy; cat copy/secret"] {
        let output = Command::new("sh").args(["-c", line]).current_dir(scene.folder.path()).output();
        assert_eq!(output.expect("it starts").stdout, SECRET.as_bytes(), "{line}");
    }
}
