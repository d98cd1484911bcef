//! Headless Chromium, driven by its DevTools protocol over a pair of pipes: a dozen calls, too few to justify
//! a library.
//!
//! `NIGHTFOLD_CHROMIUM=off` skips the tests in a browser, `required` fails them if there is none; without
//! either they are skipped if there is none. `NIGHTFOLD_CHROMIUM_PATH` names another program than `chromium`.

use std::{
    collections::VecDeque,
    env,
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{pictures::accepted, support::root};

/// Longest wait for an answer, on a busy machine.
const PATIENCE: Duration = Duration::from_mins(2);

/// A browser with one page.
pub(super) struct Browser {
    child: Child,
    commands: ChildStdin,
    told: Receiver<Value>,
    session: Option<String>,
    next: u64,
    events: VecDeque<Value>,
    /// Folder of its profile.
    _folder: TempDir,
}

/// Returns the browser's program; prints a note and returns `None` if there is none.
fn chromium() -> Option<String> {
    let wish = env::var("NIGHTFOLD_CHROMIUM").unwrap_or_default();
    let without = |why: &str| {
        assert!(wish != "required", "{why}");
        eprintln!("skipped: {why}");
    };
    if wish == "off" {
        without("NIGHTFOLD_CHROMIUM is off");
        return None;
    }
    let program = env::var("NIGHTFOLD_CHROMIUM_PATH").unwrap_or_else(|_| "chromium".into());
    let found = Command::new(&program).arg("--version").stderr(Stdio::null()).output();
    if !found.is_ok_and(|told| told.status.success()) {
        without("there is no Chromium");
        return None;
    }
    Some(program)
}

impl Browser {
    /// Opens a page of 1280 by 900 pixels; `None` if there is no browser.
    pub(super) fn open() -> Option<Self> {
        let program = chromium()?;
        let folder = TempDir::new().expect("a temporary folder");
        // It reads commands from file 3 and answers on file 4.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", &program])
            .args(["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu"])
            .args(["--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage"])
            .arg(format!("--user-data-dir={}", folder.path().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let commands = child.stdin.take().expect("it is piped");
        let mut answers = BufReader::new(child.stdout.take().expect("it is piped"));
        let (tell, told) = channel();
        thread::spawn(move || {
            let mut message = Vec::new();
            while answers.read_until(0, &mut message).is_ok_and(|read| read > 1) {
                let value = serde_json::from_slice(&message[..message.len() - 1]).expect("JSON");
                if tell.send(value).is_err() {
                    break;
                }
                message.clear();
            }
        });
        let (session, events) = (None, VecDeque::new());
        let mut browser = Self { child, commands, told, session, next: 0, events, _folder: folder };
        let target = browser.call("Target.createTarget", &json!({"url": "about:blank"}));
        let attached =
            browser.call("Target.attachToTarget", &json!({"targetId": target["targetId"], "flatten": true}));
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page.enable", "Runtime.enable", "Log.enable", "Network.enable"] {
            browser.call(domain, &json!({}));
        }
        browser.size(1280, 900);
        Some(browser)
    }

    /// Calls a method of the protocol and returns its result.
    pub(super) fn call(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let mut command = json!({"id": self.next, "method": method, "params": params});
        if let Some(session) = &self.session {
            command["sessionId"] = session.as_str().into();
        }
        let mut bytes = command.to_string().into_bytes();
        bytes.push(0);
        self.commands.write_all(&bytes).expect("the browser reads");
        loop {
            let told = self.told.recv_timeout(PATIENCE).unwrap_or_else(|e| panic!("{method}: {e}"));
            if told["id"] == self.next {
                assert!(told["error"].is_null(), "{method}: {}", told["error"]);
                return told["result"].clone();
            }
            self.events.push_back(told);
        }
    }

    /// Sets the size of the window in CSS pixels, at a pixel ratio of 1; below 600 pixels of width it is a
    /// phone.
    pub(super) fn size(&mut self, width: u32, height: u32) {
        self.screen(width, height, 1.0);
    }

    /// Sets the size of the window in CSS pixels, and the pixel ratio.
    pub(super) fn screen(&mut self, width: u32, height: u32, ratio: f64) {
        let params =
            json!({"width": width, "height": height, "deviceScaleFactor": ratio, "mobile": width < 600});
        self.call("Emulation.setDeviceMetricsOverride", &params);
    }

    /// Opens an address and waits until it is loaded.
    pub(super) fn go(&mut self, address: &str) {
        self.events.retain(|event| event["method"] != "Page.loadEventFired");
        let gone = self.call("Page.navigate", &json!({"url": address}));
        assert!(gone["errorText"].is_null(), "{address}: {gone}");
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            let told = self.told.recv_timeout(PATIENCE).expect("it loads");
            self.events.push_back(told);
        }
    }

    /// Evaluates an expression of JavaScript and returns its value; promises are awaited.
    #[track_caller]
    pub(super) fn js(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let ran = self.call("Runtime.evaluate", &params);
        assert!(ran["exceptionDetails"].is_null(), "{expression}: {}", ran["exceptionDetails"]);
        ran["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub(super) fn until(&mut self, expression: &str) {
        let start = Instant::now();
        while self.js(expression) != true {
            assert!(start.elapsed() < PATIENCE, "never: {expression}");
            thread::sleep(Duration::from_millis(30));
        }
    }

    /// Moves the mouse to a point of the window.
    pub(super) fn point(&mut self, x: f64, y: f64) {
        self.call("Input.dispatchMouseEvent", &json!({"type": "mouseMoved", "x": x, "y": y}));
    }

    /// Presses a key.
    pub(super) fn press(&mut self, key: &str) {
        let text = if key == "Enter" { "\r" } else { "" };
        let code = match key {
            "Tab" => 9,
            "Enter" => 13,
            "ArrowRight" => 39,
            _ => 0,
        };
        for kind in ["keyDown", "keyUp"] {
            let mut params = json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code});
            if kind == "keyDown" && !text.is_empty() {
                params["text"] = text.into();
            }
            self.call("Input.dispatchKeyEvent", &params);
        }
    }

    /// Types into the element that has the focus.
    pub(super) fn types(&mut self, text: &str) {
        self.call("Input.insertText", &json!({"text": text}));
    }

    /// Returns the errors of the page so far: of scripts, of the console and of the content security policy,
    /// and requests for addresses that do not begin with `allowed`.
    pub(super) fn complaints(&mut self, allowed: &str) -> Vec<String> {
        self.js("1");
        let complaint = |event: &Value| {
            let params = &event["params"];
            match event["method"].as_str()? {
                "Runtime.exceptionThrown" => Some(params["exceptionDetails"].to_string()),
                "Runtime.consoleAPICalled" if params["type"] == "error" || params["type"] == "warning" => {
                    Some(params["args"].to_string())
                }
                "Log.entryAdded" => Some(params["entry"].to_string()),
                "Network.requestWillBeSent" => {
                    let address = params["request"]["url"].as_str()?;
                    (!address.starts_with(allowed)).then(|| format!("asks for {address}"))
                }
                _ => None,
            }
        };
        self.events.iter().filter_map(complaint).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asserts that a picture of the book shows the page that is open, by its text; `NIGHTFOLD_ACCEPT=1` takes it anew.
#[track_caller]
pub(super) fn pictured(browser: &mut Browser, name: &str) {
    let text = browser.js("document.body.innerText");
    if std::env::var_os("NIGHTFOLD_ACCEPT").is_some() {
        let taken = browser.call("Page.captureScreenshot", &json!({"format": "png"}));
        let png = BASE64_STANDARD.decode(taken["data"].as_str().expect("a picture")).expect("base64");
        std::fs::write(root().join(format!("docs/src/images/{name}.png")), png).expect("written");
    }
    let kept = format!("docs/src/images/{name}.txt");
    accepted(&kept, &format!("{}\n", text.as_str().expect("text").trim()));
}
