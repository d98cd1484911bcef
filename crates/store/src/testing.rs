//! A PostgreSQL server for tests and measurements.

use std::{
    env,
    ffi::OsStr,
    fs,
    io::{self, BufRead as _, BufReader, Write as _},
    net::TcpListener,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};

/// A PostgreSQL server that runs until the value is dropped, or the process ends in whatever way.
///
/// Its data is in a folder of its own, which vanishes with it; it listens on the loopback address.
#[derive(Debug)]
pub struct PostgresServer {
    shell: Child,
    port: u16,
}

/// Runs a server until the standard input ends, restarts it at "restart", and kills it with all its connections at "crash".
const SCRIPT: &str = r#"
set -u
dir=$(mktemp -d -t nightfold-postgres.XXXXXX 2> /dev/null) || dir=$(TMPDIR= mktemp -d -t nightfold-postgres.XXXXXX) || exit 1
cd "$dir" || exit 1
initdb -D "$dir/data" -U nightfold --auth=trust -E UTF8 --locale=C.UTF-8 --locale-provider=icu --icu-locale=en-US --no-sync \
    > "$dir/initdb.log" 2>&1 || { cat "$dir/initdb.log" >&2; rm -rf "$dir"; exit 1; }
start() {
    postgres -D "$dir/data" -k "$dir" -c listen_addresses=127.0.0.1 -c port="$1" -c fsync="$2" -c max_connections=200 \
        > "$dir/server.log" 2>&1 < /dev/null &
    pid=$!
    for _ in $(seq 1 300); do
        if pg_isready -q -h 127.0.0.1 -p "$1" -U nightfold; then echo ready; return; fi
        kill -0 $pid 2> /dev/null || break
        sleep 0.1
    done
    cat "$dir/server.log" >&2
    exit 1
}
stop() { kill -"$1" $pid 2> /dev/null; wait $pid 2> /dev/null; }
trap 'stop INT; rm -rf "$dir"' EXIT
start "$1" "$2"
while read -r told; do
    case $told in
        restart) stop INT; start "$1" "$2" ;;
        crash) stop QUIT; start "$1" "$2" ;;
    esac
done
"#;

impl PostgresServer {
    /// Starts a server; one for tests need not wait for the disk, one for measurements is durable.
    ///
    /// Returns `None` where no PostgreSQL is installed, unless `NIGHTFOLD_POSTGRES` is `required`.
    ///
    /// # Errors
    /// [`io::Error`] if there is a PostgreSQL and it cannot be started, or if there is none and it is required.
    pub fn start(durable: bool) -> io::Result<Option<Self>> {
        let Some(programs) = programs() else {
            if env::var_os("NIGHTFOLD_POSTGRES").is_some_and(|value| value == "required") {
                return Err(io::Error::other(
                    "PostgreSQL is not installed, and NIGHTFOLD_POSTGRES is `required`",
                ));
            }
            return Ok(None);
        };
        let mut path = vec![programs];
        path.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
        let path = env::join_paths(path).map_err(io::Error::other)?;
        // Another process may take the port before the server does.
        let mut started = Self::on_a_free_port(&path, durable);
        for _ in 0..2 {
            started = started.or_else(|_| Self::on_a_free_port(&path, durable));
        }
        started.map(Some)
    }

    fn on_a_free_port(path: &OsStr, durable: bool) -> io::Result<Self> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut shell = unprivileged();
        shell.args(["sh", "-c", SCRIPT, "postgres", &port.to_string(), if durable { "on" } else { "off" }]);
        let shell = shell.env("PATH", path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut server = Self { shell, port };
        server.wait_until_ready()?;
        Ok(server)
    }

    /// Returns the address of an unused schema.
    pub fn address(&self) -> String {
        static SCHEMAS: AtomicUsize = AtomicUsize::new(0);
        self.address_of(&format!("town{}", SCHEMAS.fetch_add(1, Ordering::Relaxed)))
    }

    /// Returns the address of a schema.
    pub fn address_of(&self, schema: &str) -> String {
        format!("postgres://nightfold@127.0.0.1:{}/postgres?sslmode=disable&schema={schema}", self.port)
    }

    /// Returns the port on the loopback address.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Runs SQL as the superuser of the server, and returns its output: a line for each row.
    ///
    /// # Errors
    /// [`io::Error`] with the message of the server.
    pub fn sql(&self, sql: &str) -> io::Result<String> {
        let program = programs().map_or_else(|| PathBuf::from("psql"), |folder| folder.join("psql"));
        let place = format!("host=127.0.0.1 port={} user=nightfold dbname=postgres", self.port);
        let told =
            Command::new(program).args(["-v", "ON_ERROR_STOP=1", "-XqAt", "-c", sql, &place]).output()?;
        if !told.status.success() {
            return Err(io::Error::other(String::from_utf8_lossy(&told.stderr).into_owned()));
        }
        Ok(String::from_utf8_lossy(&told.stdout).trim_end().to_owned())
    }

    /// Stops the server, which ends all connections, and starts it again with the same data.
    ///
    /// # Errors
    /// [`io::Error`] if it does not start again.
    pub fn restart(&mut self) -> io::Result<()> {
        self.tell("restart")
    }

    /// Kills the server in the middle of everything, and starts it again with what is on its disk.
    ///
    /// # Errors
    /// [`io::Error`] if it does not start again.
    pub fn crash(&mut self) -> io::Result<()> {
        self.tell("crash")
    }

    fn tell(&mut self, word: &str) -> io::Result<()> {
        let stdin = self.shell.stdin.as_mut().ok_or_else(|| io::Error::other("the server has ended"))?;
        writeln!(stdin, "{word}")?;
        self.wait_until_ready()
    }

    fn wait_until_ready(&mut self) -> io::Result<()> {
        let out = self.shell.stdout.as_mut().ok_or_else(|| io::Error::other("the server has no output"))?;
        let mut line = String::new();
        // Nothing is read ahead: the shell writes one line for each word.
        BufReader::with_capacity(1, out).read_line(&mut line)?;
        if line.trim_end() == "ready" { Ok(()) } else { Err(io::Error::other("PostgreSQL does not start")) }
    }

    /// Returns a server that all tests of this process share; says so where there is none.
    ///
    /// # Panics
    /// If there is a PostgreSQL and it cannot be started, or if there is none and it is required.
    pub fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<PostgresServer>> = OnceLock::new();
        let shared = SHARED.get_or_init(|| Self::start(false).unwrap_or_else(|error| panic!("{error}")));
        if shared.is_none() {
            eprintln!("PostgreSQL is not installed: this test is passed over");
        }
        shared.as_ref()
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        let _ = self.shell.wait();
    }
}

/// Returns the folder of PostgreSQL's programs: the newest of Debian's, or one of the search path.
fn programs() -> Option<PathBuf> {
    let debian = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().join("bin"));
    let debian = debian.filter(|folder| folder.join("initdb").is_file()).max();
    let search = env::var_os("PATH").unwrap_or_default();
    debian.or_else(|| env::split_paths(&search).find(|folder| folder.join("initdb").is_file()))
}

/// Returns a command that runs programs as another user than the superuser, whom PostgreSQL refuses.
fn unprivileged() -> Command {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|told| told.stdout.trim_ascii() == b"0");
    if is_root {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups", "env", "-u", "HOME"]);
        command
    } else {
        Command::new("env")
    }
}
