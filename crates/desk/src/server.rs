//! HTTP server of the page, for this machine and holders of the token alone.

use std::{
    collections::BTreeMap,
    future, io,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    sync::Arc,
    time::Instant,
};

use axum::{
    Router,
    body::Bytes,
    extract::{DefaultBodyLimit, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse, Response},
    routing::{MethodRouter, get, post},
};
use nightfold::{
    consolidate::review::EarlierEntries,
    memory::{MemoryId, NpcNight, RunReport, ValidConfig},
};
use nightfold_report::{Asset, DRAWING, HtmlPage, PageNight, ReportSource, STYLE, data, json};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    BaseConfig, BaselineNight, DeskError, DeskSetting, MemoryAnswer, MemoryEdit, ReplannedNight, Replanner,
    ask, changes::StoryChanges, desk_settings,
};

const SCRIPTS: &[Asset] = &[
    include_str!("../assets/settings.js"),
    include_str!("../assets/memory.js"),
    include_str!("../assets/desk.js"),
];
const LOOKS: &[Asset] = &[include_str!("../assets/desk.css")];

/// Maximum size of a request in bytes; the page sends a few hundred.
const MAX_REQUEST_BYTES: usize = 64 * 1024;

/// A listening server of the desk's page.
pub struct DeskServer {
    listener: TcpListener,
    shared: Arc<Shared>,
}

/// State that all requests share.
struct Shared {
    title: String,
    replanner: Replanner,
    base: BaseConfig,
    page: HtmlPage,
    /// Host headers that a browser on this machine sends.
    hosts: [String; 2],
    token: String,
}

/// Data of the page when it opens.
#[derive(Serialize)]
struct Opening<'a> {
    title: &'a str,
    npcs: Vec<NpcChoice>,
    /// Index of the NPC that is shown first.
    opens: usize,
    settings: &'a [DeskSetting],
    values: BTreeMap<&'static str, Value>,
}

/// An NPC with its nights, to choose from.
#[derive(Serialize)]
struct NpcChoice {
    npc: String,
    nights: Vec<String>,
    /// Index of the night that is shown first.
    opens: usize,
}

/// Request about a night under changed settings, with changed memories.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NightRequest {
    npc: usize,
    night: usize,
    /// Changed settings by key.
    set: BTreeMap<String, Value>,
    #[serde(default)]
    edits: Vec<MemoryEdit>,
    /// Memory that is asked about.
    #[serde(default)]
    id: Option<MemoryId>,
}

/// Kinds of questions that the page asks.
#[derive(Clone, Copy)]
enum Question {
    /// The night, planned again.
    Plan,
    /// The whole story, planned again.
    Story,
    /// A memory, and what would give it another fate.
    Memory,
}

/// Answer to a request.
#[derive(Serialize)]
#[serde(untagged)]
enum Answer {
    Plan(Box<PlanResponse>),
    Story(StoryChanges),
    Memory(MemoryAnswer),
}

/// A night under the base configuration, and planned again.
#[derive(Serialize)]
struct PlanResponse {
    before: PageNight,
    after: PageNight,
    /// Duration of planning.
    milliseconds: f64,
    /// Lines of the differences from the base configuration, as TOML.
    toml: Vec<String>,
    /// The same as a profile of the NPC alone; omitted if they cannot be one.
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<Vec<String>>,
    /// Value of each setting in the base configuration of the NPC: its profile may have others.
    values: BTreeMap<&'static str, Value>,
}

impl DeskServer {
    /// Listens on the loopback address; port 0 is any free one.
    ///
    /// # Errors
    /// [`DeskError::Listen`] and [`DeskError::Random`].
    pub fn open(title: String, replanner: Replanner, base: BaseConfig, port: u16) -> Result<Self, DeskError> {
        let listen = |source| DeskError::Listen { port, source };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(listen)?;
        listener.set_nonblocking(true).map_err(listen)?;
        let SocketAddr::V4(address) = listener.local_addr().map_err(listen)? else {
            return Err(listen(io::ErrorKind::AddrNotAvailable.into()));
        };
        let token = nightfold_http::random_token().map_err(DeskError::Random)?;
        let page = HtmlPage::new(&[STYLE, LOOKS], &[DRAWING, SCRIPTS], true);
        let hosts = [format!("127.0.0.1:{}", address.port()), format!("localhost:{}", address.port())];
        Ok(Self { listener, shared: Arc::new(Shared { title, replanner, base, page, hosts, token }) })
    }

    /// Address of the page, with the token.
    pub fn address(&self) -> String {
        format!("http://{}/{}/", self.shared.hosts[0], self.shared.token)
    }

    /// Serves the page until the process ends, to as many connections and as patiently as `[http]` says.
    ///
    /// # Errors
    /// [`DeskError::Serve`] if connections cannot be accepted.
    pub async fn serve(self) -> Result<(), DeskError> {
        let listener = tokio::net::TcpListener::from_std(self.listener).map_err(DeskError::Serve)?;
        let router = Router::new()
            .route("/{token}/", get(page))
            .route("/{token}/plan", asked(Question::Plan))
            .route("/{token}/story", asked(Question::Story))
            .route("/{token}/memory", asked(Question::Memory))
            .layer(DefaultBodyLimit::max(MAX_REQUEST_BYTES))
            .layer(from_fn_with_state(Arc::clone(&self.shared), guard))
            .with_state(Arc::clone(&self.shared));
        nightfold_http::serve(listener, router, &self.shared.base.config().http, future::pending()).await;
        Ok(())
    }
}

/// Refuses requests without the token, requests to another host name than this machine's own (a site may
/// point its name here: DNS rebinding), and requests from pages of another origin.
async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let refused = |why: &'static str| (StatusCode::FORBIDDEN, why).into_response();
    let headers = request.headers();
    let given = |name: HeaderName| headers.get_all(name).iter().map(HeaderValue::as_bytes);
    let hosts: Vec<&[u8]> = given(header::HOST).collect();
    let Some(own) = shared.hosts.iter().find(|own| hosts == [own.as_bytes()]) else {
        return refused("this desk answers by its own address alone\n");
    };
    if given(header::ORIGIN).any(|origin| origin != format!("http://{own}").as_bytes()) {
        return refused("this desk answers its own page alone\n");
    }
    let given = request.uri().path().trim_start_matches('/').split('/').next().unwrap_or_default();
    if !same(given.as_bytes(), shared.token.as_bytes()) {
        return refused("the address of a desk has a token: use the one that nightfold printed\n");
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CONTENT_SECURITY_POLICY, "frame-ancestors 'none'"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// True if two texts are equal; takes the same time wherever they differ.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}

async fn page(State(shared): State<Arc<Shared>>) -> Response {
    let mut html = Vec::new();
    let written = shared.opening().map_err(|error| with_causes(&error)).and_then(|opening| {
        let page = shared.page.write(&mut html, |out| data(out, "id=\"desk\"", &opening));
        page.map_err(|error| error.to_string())
    });
    match written {
        Ok(()) => ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], html).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error).into_response(),
    }
}

/// Route of a question.
fn asked(question: Question) -> MethodRouter<Arc<Shared>> {
    post(move |State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes| {
        respond(shared, headers, body, question)
    })
}

/// Plans again what a request asks for. Errors are returned as JSON `{"error": …}`.
async fn respond(shared: Arc<Shared>, headers: HeaderMap, body: Bytes, question: Question) -> Response {
    // Forms of other pages cannot send this type without asking first.
    let is_json = headers.get(header::CONTENT_TYPE).is_some_and(|is| is == "application/json");
    if !is_json {
        return StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response();
    }
    // Aside, so that a long night holds nobody up and a panic ends nothing but itself.
    let planned = tokio::task::spawn_blocking(move || shared.answer(&body, question)).await;
    let mut body = Vec::new();
    let (status, written) = match planned.unwrap_or(Err(DeskError::Panicked)) {
        Ok(answer) => (StatusCode::OK, json(&mut body, &answer)),
        Err(error) => {
            let status = match error {
                DeskError::Panicked => StatusCode::INTERNAL_SERVER_ERROR,
                _ => StatusCode::UNPROCESSABLE_ENTITY,
            };
            (status, json(&mut body, &BTreeMap::from([("error", with_causes(&error))])))
        }
    };
    match written {
        Ok(()) => (status, [(header::CONTENT_TYPE, "application/json")], body).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

/// Text of an error with its causes.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let said = cause.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        source = cause.source();
    }
    text
}

impl Shared {
    /// Returns the data of the page when it opens.
    fn opening(&self) -> Result<Opening<'_>, DeskError> {
        let replanner = &self.replanner;
        let npcs = replanner.days().iter().enumerate().map(|(index, (npc, days))| NpcChoice {
            npc: npc.to_string(),
            nights: days.iter().map(|day| day.night.to_string()).collect(),
            opens: replanner.opens_night(index),
        });
        Ok(Opening {
            title: &self.title,
            npcs: npcs.collect(),
            opens: replanner.opens(),
            settings: desk_settings(),
            values: self.base.values()?,
        })
    }

    /// Plans what a request asks for.
    fn answer(&self, body: &[u8], question: Question) -> Result<Answer, DeskError> {
        let asked: NightRequest = serde_json::from_slice(body).map_err(DeskError::Request)?;
        let baseline = self.replanner.baseline((asked.npc, asked.night))?;
        let NpcNight { npc, npc_tags, .. } = &baseline.planned.night;
        let base = self.base.for_npc(npc, npc_tags);
        let config = base.with(&asked.set)?;
        Ok(match (question, &asked.id) {
            (Question::Plan, _) => Answer::Plan(Box::new(self.plan(&asked, &baseline, &config)?)),
            (Question::Story, _) => {
                let config = self.base.with_changes_for(npc, npc_tags, &config)?;
                let after = self.replanner.whole(&config, &asked.edits)?;
                Answer::Story(StoryChanges::of(self.replanner.days(), self.replanner.before(), &after))
            }
            (Question::Memory, Some(id)) => {
                Answer::Memory(ask(&self.replanner, &baseline, &base, &asked.set, &asked.edits, id)?)
            }
            (Question::Memory, None) => return Err(DeskError::NoId),
        })
    }

    fn plan(
        &self,
        asked: &NightRequest,
        baseline: &BaselineNight,
        config: &ValidConfig,
    ) -> Result<PlanResponse, DeskError> {
        let begun = Instant::now();
        let after = self.replanner.again(baseline, config, &asked.edits)?;
        let milliseconds = begun.elapsed().as_secs_f64() * 1e3;
        let entries = baseline.past.entries.iter().chain(&baseline.past.recalled);
        let known = entries.map(|known| (known.entry.id.clone(), (&known.entry).into())).collect();
        let (Some(before), Some(after)) = (view(&baseline.planned, &known), view(&after, &known)) else {
            return Err(DeskError::NoNight { npc: asked.npc, night: asked.night });
        };
        let NpcNight { npc, npc_tags, .. } = &baseline.planned.night;
        let base = self.base.for_npc(npc, npc_tags);
        let lines = |toml: String| toml.lines().map(str::to_owned).collect();
        let profile = self.base.as_profile(npc, npc_tags, config)?.map(lines);
        let (toml, values) = (lines(base.differences(config)?), base.values()?);
        Ok(PlanResponse { before, after, milliseconds, toml, profile, values })
    }
}

/// Builds the view of a night.
fn view(planned: &ReplannedNight, known: &EarlierEntries) -> Option<PageNight> {
    let night = &planned.night;
    let source = ReportSource {
        title: "",
        nights: std::slice::from_ref(night),
        report: &RunReport::default(),
        maps: &BTreeMap::from([((night.npc.clone(), night.night.clone()), planned.map.clone())]),
        known: &BTreeMap::from([(night.npc.clone(), known.clone())]),
        themes: &BTreeMap::new(),
        expectations: &[],
    };
    source.view().npcs.into_iter().next()?.nights.into_iter().next()
}
