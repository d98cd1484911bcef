//! A command under trial: it is killed, or a system call of it fails, and the folder is judged.

use super::{
    commands::{OnceDone, WritingCommand},
    injected::{Ended, Fault, WritePoint, run, run_counted, run_with},
    picture::{Picture, bytes, copy, unstamped},
};
use crate::support::Desk;

/// Exit codes of a call that the system did not let write.
const FAILED: [i32; 3] = [5, 6, 7];

/// A command with all that its runs are compared with.
pub(super) struct Trial {
    pub(super) command: &'static WritingCommand,
    prepared: Desk,
    /// The folder before the command, the states on the way, and after it.
    stages: Vec<Picture>,
    /// Standard output of the run that nothing happened to.
    out: String,
    pub(super) points: Vec<WritePoint>,
}

/// State of the folder after a fault, before the command is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Found {
    Before,
    Between,
    Done,
}

impl Trial {
    /// Runs the command to its end, and notes the system calls and the states.
    pub(super) fn new(command: &'static WritingCommand) -> Self {
        let prepared = Desk::new();
        (command.prepare)(&prepared);
        let picture =
            |desk: &Desk| Picture::of(desk).unwrap_or_else(|error| panic!("{}: {error}", command.name));
        let mut stages = vec![picture(&copied(&prepared))];
        for stage in command.stages {
            let desk = copied(&prepared);
            let ended = run(&desk, stage);
            assert_eq!(ended.code, Some(0), "{stage}: {}", ended.err);
            stages.push(picture(&desk));
        }
        let (desk, unchanged) = (copied(&prepared), bytes(&prepared));
        let (ended, points) = run_counted(&desk, command.arguments);
        assert_eq!(ended.code, Some(0), "{}: {}", command.name, ended.err);
        let names = Picture::names_of(&desk);
        stages.push(picture(&desk).with_names(names));
        let trial = Self { command, prepared, stages, out: ended.out, points };
        assert!(bytes(&desk) != unchanged, "{} changes nothing", command.name);
        trial
    }

    fn before(&self) -> &Picture {
        self.stages.first().expect("a stage before the command")
    }

    fn after(&self) -> &Picture {
        self.stages.last().expect("a stage after the command")
    }

    /// Returns points that are spread evenly over the run.
    pub(super) fn spread(&self, most: usize, of: impl Fn(&WritePoint) -> bool) -> Vec<WritePoint> {
        let points: Vec<&WritePoint> = self.points.iter().filter(|point| of(point)).collect();
        let n = points.len().min(most);
        (0..n).map(|at| points[(2 * at + 1) * points.len() / (2 * n)].clone()).collect()
    }

    /// Kills the command at a point, and repeats it.
    ///
    /// # Errors
    /// Returns in words what does not hold.
    pub(super) fn kill(&self, point: &WritePoint) -> Result<Found, String> {
        let desk = copied(&self.prepared);
        let ended = run_with(&desk, self.command.arguments, point, Fault::Killed);
        if ended.code.is_some_and(|code| code != 0) {
            return Err(format!("it was not killed, and ended with {:?}: {}", ended.code, ended.err));
        }
        let found = self.judge(&desk)?;
        if !self.out.is_empty() && ended.out == self.out && found != Found::Done {
            return Err("it was told as done, and is not".to_owned());
        }
        self.repeat(&desk, found)?;
        Ok(found)
    }

    /// Lets a system call fail, and repeats the command.
    ///
    /// # Errors
    /// Returns in words what does not hold.
    pub(super) fn fail(&self, point: &WritePoint, fault: Fault) -> Result<Found, String> {
        let desk = copied(&self.prepared);
        let ended = run_with(&desk, self.command.arguments, point, fault);
        let found = self.judge(&desk)?;
        match ended.code {
            Some(0) if found == Found::Done => {}
            // SQLite does not say why it cannot open a file: its path may be wrong.
            Some(2) if ended.err.contains("unable to open database file") => {}
            // Calls are counted by thread: the write of the same number on another may be the message itself.
            Some(code) if FAILED.contains(&code) && point.call == "write" && ended.err.is_empty() => {}
            Some(code) if FAILED.contains(&code) => self.check_message(&ended, point)?,
            code => return Err(format!("{found:?} with exit code {code:?}: {}", ended.err)),
        }
        self.repeat(&desk, found)?;
        Ok(found)
    }

    /// Looks at a copy of the folder, so that whatever reading mends is still to be mended by the repeated command.
    fn judge(&self, desk: &Desk) -> Result<Found, String> {
        let picture = Picture::of(&copied(desk))?;
        picture.check_nothing_half(&self.stages)?;
        Ok(if picture.holds_the_same(self.after()) {
            Found::Done
        } else if picture.holds_the_same(self.before()) {
            Found::Before
        } else {
            Found::Between
        })
    }

    fn repeat(&self, desk: &Desk, found: Found) -> Result<(), String> {
        let once_done = self.command.once_done;
        if found == Found::Done && once_done == OnceDone::Twice {
            return Ok(());
        }
        let ended = run(desk, self.command.arguments);
        let names = Picture::names_of(desk);
        let is_refused =
            matches!(once_done, OnceDone::Refused(code) if found == Found::Done && ended.code == Some(code));
        if ended.code != Some(0) && !is_refused {
            return Err(format!("{found:?}; repeated, it ended with {:?}: {}", ended.code, ended.err));
        }
        let picture = Picture::of(desk)?.with_names(names);
        if picture.holds_the_same(self.after()) && picture.names == self.after().names {
            Ok(())
        } else {
            Err(format!("{found:?}; repeated, {}", picture.differences(self.after())))
        }
    }

    /// Checks that the message names the file that was not written, or what is made of it.
    fn check_message(&self, ended: &Ended, point: &WritePoint) -> Result<(), String> {
        if point.stream == Some(2) {
            return Ok(());
        }
        // A command that did a part tells on standard output of what it did not.
        let told = format!("{}{}", ended.out, ended.err);
        let (folder, file) = point.path.rsplit_once('/').unwrap_or(("", &point.path));
        // A temporary file is known by its folder, and what lies beside a database by the database.
        let folder = folder.rsplit('/').next().unwrap_or_default();
        let file = unstamped(file);
        let database = ["-wal", "-shm", "-journal"].into_iter().find_map(|end| file.strip_suffix(end));
        let arguments = self.command.arguments.split(' ').filter(|word| word.contains(['.', '/']));
        let names = ["standard output", "TMPDIR", "temporary files"]
            .into_iter()
            .chain([database.unwrap_or(&file)])
            .chain(Some(folder).filter(|_| file.starts_with(".nightfold-")))
            .chain(arguments);
        let is_named = names.filter(|name| !name.is_empty()).any(|name| told.contains(name));
        if is_named && ended.err.contains("error: ") {
            Ok(())
        } else {
            Err(format!("the message names no file: {}", ended.err))
        }
    }
}

fn copied(from: &Desk) -> Desk {
    let to = Desk::new();
    copy(from, &to);
    to
}
