//! The server: dispatches requests.

use std::sync::Arc;

use rmcp::{
    RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, ErrorData,
        Implementation, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
        PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
        ResourceContents, ServerCapabilities, ServerConfig,
    },
    service::{RequestContext, ServerInitializeError, ServiceExt},
};

use super::{
    nights::{self, ResourceError},
    reply::{UNTRUSTED, refused},
    state::ServerState,
    tools::{ToolEntry, offered},
    transport::PatientTransport,
};
use crate::{
    error::{CliError, Exit},
    stdio::BrokenPipe,
};

const ABOUT: &str = "Nightfold decides, while an NPC of a game sleeps, what it will still know tomorrow. This server shows what \
    NPCs remember (`recall`, `themes`), where it comes from (`why`), and what a night would make of a day (`consolidate`, a dry \
    run). It cannot write: show the user the diff; who wants it applies it with `nightfold sleep … --apply`.";

/// Answers requests on standard input and output until the client closes the connection.
pub(crate) fn serve(state: ServerState) -> Result<(), CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let most = state.config.input.max_file_bytes;
    let calls = Arc::clone(&state.calls);
    let lines = PatientTransport::new(tokio::io::stdin(), tokio::io::stdout(), most, calls);
    let hung_up = lines.hung_up();
    let served = runtime.block_on(async {
        let server = match (Server { state: Arc::new(state) }).serve(lines).await {
            Ok(server) => server,
            // Hung up before it said what it wanted.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(CliError::new(Exit::Usage, error)),
        };
        server.waiting().await.map(drop).map_err(|error| CliError::new(Exit::Usage, error))
    });
    // No one waits for what is still running.
    runtime.shutdown_background();
    if *hung_up.borrow() { Err(CliError::new(Exit::BrokenPipe, BrokenPipe)) } else { served }
}

pub(super) struct Server {
    pub(super) state: Arc<ServerState>,
}

/// Returns the failure of a request other than a tool call.
fn failed(error: &CliError) -> ErrorData {
    ErrorData::internal_error(error.without_hint(), None)
}

impl From<ResourceError> for ErrorData {
    fn from(error: ResourceError) -> Self {
        match error {
            ResourceError::Unknown => Self::resource_not_found(error.to_string(), None),
            ResourceError::Cursor => Self::invalid_params(error.to_string(), None),
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let offers = ServerCapabilities::builder().enable_tools().enable_resources().build();
        ServerConfig::new(offers)
            .with_server_info(Implementation::new("nightfold", env!("CARGO_PKG_VERSION")))
            .with_instructions(format!("{ABOUT} {UNTRUSTED}"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(offered()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let replied = match ToolEntry::named(&request.name) {
            Ok(tool) => {
                let given = request.arguments.unwrap_or_default();
                self.state.work(move |state| (tool.call)(state, given)).await
            }
            Err(error) => Err(error.into()),
        };
        Ok(match replied {
            Ok(reply) => reply.finish(),
            Err(error) => refused(&error),
        }
        .into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let listed = self.state.work(move |state| nights::list(state, cursor.as_deref())).await;
        Ok(listed.map_err(|error| failed(&error))??)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(vec![nights::template()]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.clone();
        let read = self.state.work(move |state| nights::read(state, &uri)).await;
        let text = read.map_err(|error| failed(&error))??;
        let contents = ResourceContents::text(text, request.uri).with_mime_type(nights::JSON);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    /// Answers a request that is not in the protocol, or one of its requests in the wrong form.
    async fn on_custom_request(
        &self,
        _: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let says = "this server answers initialize, ping, tools/list, tools/call {\"name\", \"arguments\"}, resources/list, \
                    resources/templates/list and resources/read {\"uri\"}";
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, says, None))
    }
}
