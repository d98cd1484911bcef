//! Runs of the program under strace, which counts the system calls that write, and ends the process or fails one of them.

use std::{collections::BTreeMap, fs, process::Command};

use tempfile::NamedTempFile;

use crate::support::{Desk, TEST_VECTORS};

/// System calls that change a file or a folder; `?` before a name that not every machine has.
const WRITING: &str = "write,pwrite64,writev,pwritev,fsync,fdatasync,ftruncate,fallocate,?rename,renameat,renameat2,\
    ?link,linkat,?unlink,unlinkat,?mkdir,mkdirat,?rmdir,?chmod,fchmod,fchmodat,utimensat,copy_file_range,openat";

/// The call that a command makes for the `nth` time in one of its threads.
#[derive(Debug, Clone)]
pub(super) struct WritePoint {
    pub(super) call: String,
    pub(super) nth: usize,
    /// File that is written: the first path among the arguments.
    pub(super) path: String,
    /// Standard output or standard error.
    pub(super) stream: Option<u8>,
}

/// Fault of a system call.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fault {
    /// The process is killed as it enters the call, which then does nothing.
    Killed,
    /// The call does nothing, and returns this error.
    Fails(&'static str),
    /// The call and all later ones of its name in that thread return this error.
    FailsFromThenOn(&'static str),
}

/// End of a run.
#[derive(Debug)]
pub(super) struct Ended {
    /// Exit code; `None` if the process was killed.
    pub(super) code: Option<i32>,
    pub(super) out: String,
    pub(super) err: String,
}

/// Returns true if strace can follow a process here; else says that the tests are skipped.
pub(super) fn is_available() -> bool {
    let tried = Command::new("strace").args(["-f", "-qq", "-e", "trace=none", "true"]).output();
    let works = tried.as_ref().is_ok_and(|ended| ended.status.success());
    if !works {
        let required = std::env::var_os("NIGHTFOLD_STRACE").is_some_and(|set| set == "required");
        assert!(!required, "strace cannot be run, and NIGHTFOLD_STRACE=required: {tried:?}");
        eprintln!("skipped: strace, which ends calls at their system calls, cannot be run here");
    }
    works
}

/// Runs a command of the program in the folder of a desk; its temporary files go to `tmp` in it.
pub(super) fn run(desk: &Desk, arguments: &str) -> Ended {
    ended(&mut prepared(desk, arguments))
}

/// Runs a command, and returns its end with the system calls by which it writes, in their order.
pub(super) fn run_counted(desk: &Desk, arguments: &str) -> (Ended, Vec<WritePoint>) {
    let log = NamedTempFile::new().expect("a file");
    let done = ended(&mut traced(desk, arguments, &log, &[]));
    (done, points(&fs::read_to_string(log.path()).expect("the log of strace")))
}

/// Runs a command with a fault.
pub(super) fn run_with(desk: &Desk, arguments: &str, point: &WritePoint, fault: Fault) -> Ended {
    let WritePoint { call, nth, .. } = point;
    let inject = match fault {
        Fault::Killed => format!("inject={call}:signal=KILL:when={nth}"),
        Fault::Fails(error) => format!("inject={call}:error={error}:when={nth}"),
        Fault::FailsFromThenOn(error) => format!("inject={call}:error={error}:when={nth}+"),
    };
    let log = NamedTempFile::new().expect("a file");
    ended(&mut traced(desk, arguments, &log, &["-e", &inject]))
}

/// Runs a command on a disk without room for one more byte.
pub(super) fn run_on_full_disk(desk: &Desk, arguments: &str) -> Ended {
    let log = NamedTempFile::new().expect("a file");
    ended(&mut traced(desk, arguments, &log, &["-e", "inject=pwrite64,ftruncate,fallocate:error=ENOSPC"]))
}

fn prepared(desk: &Desk, arguments: &str) -> Command {
    let mut command = desk.command(arguments);
    command.env("TMPDIR", desk.path("tmp")).env("NIGHTFOLD_VECTOR_CACHE", "vectors.cache");
    // Every call writes the same, whatever ran before it.
    command.env_remove(TEST_VECTORS);
    command
}

fn traced(desk: &Desk, arguments: &str, log: &NamedTempFile, more: &[&str]) -> Command {
    let inner = prepared(desk, arguments);
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-y", "-e", "signal=none", "-e"]).arg(format!("trace={WRITING}"));
    command.args(more).arg("-o").arg(log.path()).arg("--");
    command.arg(inner.get_program()).args(inner.get_args()).current_dir(desk.path(""));
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

fn ended(command: &mut Command) -> Ended {
    let output = command.stdin(std::process::Stdio::null()).output().expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ended { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}

/// Reads the points of a log: strace counts the calls of a name in each thread by themselves, and acts in the thread that
/// is the first to reach a count.
fn points(log: &str) -> Vec<WritePoint> {
    let mut counts = BTreeMap::<(&str, &str), usize>::new();
    let mut reached = BTreeMap::<&str, usize>::new();
    let mut points = Vec::new();
    for line in log.lines() {
        let Some((thread, rest)) = line.split_once(' ') else { continue };
        // Signals, ends of processes, and the second halves of calls have no name before a bracket.
        let Some((call, arguments)) = rest.trim_start().split_once('(') else { continue };
        if !call.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            continue;
        }
        let count = counts.entry((thread, call)).or_default();
        *count += 1;
        let most = reached.entry(call).or_default();
        let opens = call != "openat"
            || ["O_CREAT", "O_TMPFILE", "O_TRUNC"].iter().any(|flag| arguments.contains(flag));
        if *count > *most {
            *most = *count;
            if opens {
                points.push(point(call, *count, arguments));
            }
        }
    }
    points
}

fn point(call: &str, nth: usize, arguments: &str) -> WritePoint {
    // `1</dev/null>, "text"…` of an open file, `AT_FDCWD</folder>, "name"…` or `"name"…` of a path.
    let descriptor = arguments.split_once('<').map(|(number, _)| number);
    let number = descriptor.and_then(|number| number.parse::<u32>().ok());
    let path = match number {
        Some(_) => arguments.split(['<', '>']).nth(1),
        None => arguments.split('"').nth(1),
    };
    let stream = number.and_then(|number| u8::try_from(number).ok()).filter(|number| matches!(number, 1 | 2));
    WritePoint { call: call.to_owned(), nth, path: path.unwrap_or_default().to_owned(), stream }
}

#[test]
fn calls_that_write_are_counted_by_name_within_each_thread() {
    let log = "7 openat(AT_FDCWD</d>, \"a.db\", O_RDONLY|O_CLOEXEC) = 3</d/a.db>\n\
        7 openat(AT_FDCWD</d>, \"b.db\", O_RDWR|O_CREAT, 0644 <unfinished ...>\n\
        8 pwrite64(3</d/a.db-wal>, \"x(y)\"..., 2, 0) = 2\n\
        7 <... openat resumed>) = 4</d/b.db>\n\
        7 pwrite64(4</d/b.db>, \"\", 1, 0) = 1\n\
        7 pwrite64(4</d/b.db>, \"\", 1, 0) = 1\n\
        7 write(1<pipe:[5]>, \"done\", 4) = 4\n\
        7 unlink(\"/d/a.db-wal\") = 0\n7 +++ exited with 0 +++\n";
    let found: Vec<_> = points(log)
        .into_iter()
        .map(|point| (format!("{} {}", point.call, point.nth), point.path, point.stream))
        .collect();
    let expected = [
        ("openat 2", "b.db", None),
        ("pwrite64 1", "/d/a.db-wal", None),
        ("pwrite64 2", "/d/b.db", None),
        ("write 1", "pipe:[5]", Some(1)),
        ("unlink 1", "/d/a.db-wal", None),
    ];
    assert_eq!(found, expected.map(|(point, path, stream)| (point.to_owned(), path.to_owned(), stream)));
}
