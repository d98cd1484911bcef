//! Answers of language models and their servers, and the answers that are kept.

use std::{
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::Path,
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use nightfold_language::{
    AnswerSchema, Chat, ChatError, ChatModel, ChatReply, ChatRequest, LanguageJudge, MAX_ANSWER_BYTES,
    Sampling,
    openai::{ChatClient, EndpointSettings},
    recorded::{Recorded, Recorder},
};
use nightfold_memory::{
    Answer, LanguageModel, LanguageTask, MemoryId, Request, SourceText, StanceJudge, StancePair, TaskKind,
};

use crate::scratch::with_files;

/// Model of the tasks.
const MODEL: &str = "small";

/// One task of each kind.
fn tasks() -> Vec<LanguageTask> {
    let kinds = [
        TaskKind::Synthesis,
        TaskKind::Reflections { slots: 2 },
        TaskKind::Connection { first: 1 },
        TaskKind::Stance,
    ];
    let texts = ["I asked Joss for the 14 silver.", "Joss did not pay.", "I saw Joss at the mill."];
    let source = |(row, text): (usize, &&str)| SourceText {
        id: MemoryId::new(format!("joss-{row}")).unwrap(),
        text: (*text).to_owned(),
        verbatim: false,
        said_by: None,
    };
    let task = |(id, kind): (usize, TaskKind)| {
        let texts = if kind == TaskKind::Stance { &texts[..2] } else { &texts[..] };
        let sources = texts.iter().enumerate().map(source).collect();
        LanguageTask { id, kind, me: "Mara".to_owned(), sources, past: Vec::new(), tokens: 0, value: 1.0 }
    };
    kinds.into_iter().enumerate().map(task).collect()
}

fn request(task: &LanguageTask) -> Request<'_> {
    Request { task, faults: &[], tokens: 5_000 }
}

/// Checks what must hold of the answers of a task.
fn check_answers(task: &LanguageTask, answers: &[Answer]) {
    let most = match task.kind {
        TaskKind::Reflections { slots } => slots,
        _ => 1,
    };
    assert!(answers.len() <= most, "no more answers than were asked for");
    for answer in answers {
        assert!(!answer.text.chars().any(char::is_control), "{:?}", answer.text);
        assert!(answer.confidence.is_none_or(|confidence| (0.0..=1.0).contains(&confidence)));
        let mut cited: Vec<_> = answer.cites.iter().collect();
        cited.sort();
        cited.dedup();
        assert_eq!(cited.len(), answer.cites.len(), "each source is cited once");
        assert!(cited.iter().all(|id| task.sources.iter().any(|source| source.id == **id)));
    }
}

/// Model that says one text to every question.
struct Saying<'a>(&'a str);

impl Chat for Saying<'_> {
    fn model(&self) -> &'static str {
        MODEL
    }

    fn complete(&self, _: &ChatRequest) -> Result<ChatReply, ChatError> {
        Ok(ChatReply { text: self.0.to_owned(), finished: true, tokens: 310 })
    }
}

/// A model's words, as the answer of a task of each kind and of a judge.
pub fn answers(bytes: &[u8]) {
    let Ok(said) = str::from_utf8(bytes) else { return };
    let model = ChatModel::new(Saying(said), Sampling::PLAIN);
    for task in tasks() {
        let answer = || model.answer(&request(&task)).map_err(|error| error.to_string());
        let answered = answer();
        match &answered {
            Ok(reply) => {
                assert!(said.len() <= MAX_ANSWER_BYTES);
                check_answers(&task, &reply.answers);
            }
            Err(told) => check_told(told),
        }
        assert_eq!(answer(), answered, "a second reading tells the same");
    }
    let judge = LanguageJudge::new(model);
    let reply = judge.judge(&[StancePair { older: "Tom fell.", newer: "Tom stood.", cosine: 0.9 }], 5_000);
    assert_eq!((reply.verdicts.len(), reply.tokens <= 5_000), (1, true));
}

/// Checks that what an error tells can be shown.
fn check_told(told: &str) {
    assert!(!told.is_empty() && told.len() < 4_096, "{} bytes", told.len());
    assert!(!told.chars().any(|c| c.is_control() && c != '\n'), "{told:?}");
}

/// Server that answers every request with the same bytes.
struct Server {
    address: String,
    response: Arc<Mutex<Vec<u8>>>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/v1", listener.local_addr().unwrap());
        let response = Arc::new(Mutex::new(Vec::new()));
        let responses = Arc::clone(&response);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let response = responses.lock().unwrap().clone();
                _ = respond(stream, &response);
            }
        });
        Self { address, response }
    }
}

/// Reads a whole request, and writes the response.
fn respond(mut stream: TcpStream, response: &[u8]) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(1)))?;
    let (mut request, mut part) = (Vec::new(), [0; 4_096]);
    loop {
        let read = stream.read(&mut part)?;
        request.extend_from_slice(&part[..read]);
        let text = String::from_utf8_lossy(&request).to_lowercase();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next()?.parse().ok());
        if read == 0 || body.len() >= length.unwrap_or(0) {
            break;
        }
    }
    stream.write_all(response)
}

/// The response of a model's server: its body, or, if it begins like one, the whole response.
pub fn chat(bytes: &[u8]) {
    thread_local! {
        static SERVER: Server = Server::start();
    }
    let response = if bytes.starts_with(b"HTTP/1.") {
        bytes.to_vec()
    } else {
        let head = format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", bytes.len());
        [head.as_bytes(), bytes].concat()
    };
    SERVER.with(|server| {
        *server.response.lock().unwrap() = response;
        let settings = EndpointSettings {
            try_timeout: Duration::from_secs(2),
            retries: 0,
            max_answer_bytes: 4_096,
            ..EndpointSettings::new(&server.address, MODEL)
        };
        let request = ChatRequest {
            system: "Answer in JSON.",
            user: "Name a colour.".to_owned(),
            schema: AnswerSchema { name: "colour", schema: serde_json::json!({}) },
            max_tokens: 16,
            prompt_tokens: 400,
            budget: 10_000,
            temperature: 0.0,
            seed: None,
        };
        match ChatClient::new(settings).unwrap().complete(&request) {
            Ok(reply) => assert!(reply.text.len() <= 4_096 && reply.tokens >= 16),
            Err(error) => check_told(&error.to_string()),
        }
    });
}

/// Replays what a file has for each task. A night checks all of it, so that it may be anything.
fn replay(path: &Path, tasks: &[LanguageTask]) {
    let Ok(recorded) = Recorded::open(path, Some(MODEL)) else { return };
    for task in tasks {
        if let Err(error) = recorded.answer(&request(task)) {
            assert!(!error.to_string().is_empty());
        }
    }
}

/// A file of recorded answers.
pub fn record(bytes: &[u8]) {
    let tasks = tasks();
    with_files(&[("answers.jsonl", bytes)], |folder| {
        let path = folder.join("answers.jsonl");
        let open = || Recorder::open(ChatModel::new(Saying(""), Sampling::PLAIN), &path);
        match open() {
            Ok(recorder) => {
                drop(recorder);
                let mended = std::fs::read(&path).unwrap();
                assert!(mended.len() <= bytes.len() + 1, "only an unfinished line is cut off or ended");
                drop(open().expect("a mended file can be opened"));
                assert_eq!(std::fs::read(&path).unwrap(), mended);
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                assert_eq!(std::fs::read(&path).unwrap(), bytes, "what is refused is left as it is");
            }
        }
        replay(&path, &tasks);
    });
}

/// Seeds of `record`: answers to every task.
pub(crate) fn seeds() -> Vec<(String, Vec<u8>)> {
    let said = [
        r#"{"text":"I asked Joss for the 14 silver, and he did not pay."}"#,
        r#"{"insights":[{"cites":["m1","m2"],"confidence":0.7,"kind":"social","text":"I do not trust Joss."}]}"#,
        r#"{"insights":[{"cites":["m1","m3"],"confidence":0.5,"text":"Joss hides at the mill."}]}"#,
        r#"{"stance":"same"}"#,
    ];
    let recorded = with_files(&[("answers.jsonl", b"")], |folder| {
        let path = folder.join("answers.jsonl");
        for (task, said) in tasks().iter().zip(said) {
            let model = ChatModel::new(Saying(said), Sampling::PLAIN);
            Recorder::open(model, &path).unwrap().answer(&request(task)).unwrap();
        }
        std::fs::read(path).unwrap()
    });
    let torn = recorded[..recorded.len() - 9].to_vec();
    vec![("record/answers.jsonl".to_owned(), recorded), ("record/torn.jsonl".to_owned(), torn)]
}
