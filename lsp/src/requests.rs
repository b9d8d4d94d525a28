//! The requests of the client.

use std::thread;

use lsp_server::{ErrorCode, Message, Request, Response};
use lsp_types::{
    CodeActionParams, CodeLensParams, CompletionParams, DocumentFormattingParams, DocumentSymbolParams,
    GotoDefinitionParams, HoverParams, Location, Position, ReferenceParams, RenameParams, TextDocumentPositionParams,
    Url, WorkspaceSymbolParams,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::findings::{actions, address};
use crate::names::{Symbol, symbol_at};
use crate::navigation::{Spot, definition, file_symbols, handlers, location, project_symbols, references};
use crate::state::{File, Server};
use crate::text::{self, Encoding, offset};
use crate::vocabulary::Target;
use crate::{completion, hover, rename};

/// The answer to a request, or the code and the text of its error.
pub(crate) type Answer = Result<Value, (ErrorCode, String)>;

/// Returns the answer to `initialize`.
pub(crate) fn initialized(encoding: Encoding) -> Value {
    let encoding = match encoding {
        Encoding::Utf8 => "utf-8",
        Encoding::Utf16 => "utf-16",
    };
    json!({
        "capabilities": {
            "positionEncoding": encoding,
            "textDocumentSync": { "openClose": true, "change": 2, "save": { "includeText": false } },
            "completionProvider": { "triggerCharacters": [".", "\"", "[", "`", " "] },
            "hoverProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "documentSymbolProvider": true,
            "workspaceSymbolProvider": true,
            "documentFormattingProvider": true,
            "renameProvider": { "prepareProvider": true },
            "codeActionProvider": { "codeActionKinds": ["quickfix", "source.fixAll"] },
            "codeLensProvider": { "resolveProvider": false },
        },
        "serverInfo": { "name": "toolc", "version": env!("CARGO_PKG_VERSION") },
    })
}

/// Returns the answer to a request, or `None` if a thread answers it later.
pub(crate) fn answer(server: &Server, request: Request) -> Option<Answer> {
    let Request { id, method, params } = request;
    Some(match method.as_str() {
        "textDocument/completion" => with(params, |params| Ok(complete(server, &params))),
        "textDocument/hover" => {
            with(params, |params: HoverParams| Ok(hover(server, &params.text_document_position_params)))
        }
        "textDocument/definition" => {
            let params: Result<GotoDefinitionParams, Answer> = parameters(params);
            match params {
                Ok(params) => return defined(server, &params.text_document_position_params, id),
                Err(answer) => answer,
            }
        }
        "textDocument/references" => with(params, |params| Ok(referring(server, &params))),
        "textDocument/documentSymbol" => with(params, |params: DocumentSymbolParams| {
            let file = server.file(&params.text_document.uri);
            Ok(json!(file.map(|file| file_symbols(file.source, server.client.encoding)).unwrap_or_default()))
        }),
        "workspace/symbol" => with(params, |params: WorkspaceSymbolParams| {
            let of = server
                .projects
                .values()
                .flat_map(|project| project_symbols(&project.sources, &project.root, &params.query));
            Ok(of.map(|symbol| json!(symbol)).collect())
        }),
        "textDocument/formatting" => with(params, |params| Ok(format(server, &params))),
        "textDocument/prepareRename" => with(params, |params| prepare_rename(server, &params)),
        "textDocument/rename" => with(params, |params| renamed(server, &params)),
        "textDocument/codeAction" => with(params, |params| Ok(code_actions(server, &params))),
        "textDocument/codeLens" => with(params, |params| Ok(lenses(server, &params))),
        _ => Err((ErrorCode::MethodNotFound, format!("`{method}` is not supported"))),
    })
}

fn parameters<P: DeserializeOwned>(params: Value) -> Result<P, Answer> {
    serde_json::from_value(params)
        .map_err(|error| Err((ErrorCode::InvalidParams, format!("the parameters are wrong: {error}"))))
}

fn with<P: DeserializeOwned>(params: Value, run: impl FnOnce(P) -> Answer) -> Answer {
    parameters(params).map_or_else(|answer| answer, run)
}

fn at<'s>(server: &'s Server, uri: &Url, position: Position) -> Option<(File<'s>, usize)> {
    let file = server.file(uri)?;
    let offset = offset(&file.source.text, position, server.client.encoding);
    Some((file, offset))
}

fn symbol<'s>(server: &'s Server, place: &TextDocumentPositionParams) -> Option<(File<'s>, Symbol)> {
    let (file, offset) = at(server, &place.text_document.uri, place.position)?;
    let symbol = symbol_at(file.source, &file.project.sources, offset)?;
    Some((file, symbol))
}

fn complete(server: &Server, params: &CompletionParams) -> Value {
    let place = &params.text_document_position;
    let Some((file, offset)) = at(server, &place.text_document.uri, place.position) else { return Value::Null };
    let (items, is_incomplete) =
        completion::complete(&file.project.sources, file.source, offset, server.client.encoding);
    json!({ "isIncomplete": is_incomplete, "items": items })
}

fn hover(server: &Server, place: &TextDocumentPositionParams) -> Value {
    let Some((file, offset)) = at(server, &place.text_document.uri, place.position) else { return Value::Null };
    let symbol = symbol_at(file.source, &file.project.sources, offset);
    let of_symbol =
        symbol.as_ref().and_then(|symbol| hover::of_symbol(file.project.graph()?, symbol, server.dialect.as_deref()));
    let mut parts: Vec<String> = of_symbol.or_else(|| hover::of_key(file.source, offset)).into_iter().collect();
    let shown = file.project.shown.get(&file.source.path).into_iter().flatten();
    let here =
        shown.filter(|found| found.shown.range.start <= place.position && place.position <= found.shown.range.end);
    let mut codes: Vec<&str> = here.map(|found| found.code).collect();
    codes.dedup();
    parts.extend(codes.into_iter().filter_map(hover::of_code));
    if parts.is_empty() {
        return Value::Null;
    }
    json!({ "contents": { "kind": "markdown", "value": parts.join("\n\n---\n\n") } })
}

/// Answers with the declaration of a name. From the declaration of a tool, it leads to the handler, which a thread searches.
fn defined(server: &Server, place: &TextDocumentPositionParams, id: lsp_server::RequestId) -> Option<Answer> {
    let Some((file, symbol)) = symbol(server, place) else { return Some(Ok(Value::Null)) };
    let sources = &file.project.sources;
    let found = definition(sources, file.source, &symbol);
    let is_here = found.as_ref().is_some_and(|(path, range)| *path == file.source.path && *range == symbol.range);
    if symbol.target == Target::Tool && is_here {
        let (root, encoding, out) = (file.project.root.clone(), server.client.encoding, server.out.clone());
        thread::spawn(move || {
            let found = handlers(&root, &symbol.name, encoding);
            let _ = out.send(Message::Response(Response::new_ok(id, json!(found))));
        });
        return None;
    }
    Some(Ok(json!(locations(server, &file, found.into_iter()))))
}

fn locations(server: &Server, file: &File<'_>, spots: impl Iterator<Item = Spot>) -> Vec<Location> {
    let project = file.project;
    spots.filter_map(|spot| location(&project.sources, &project.root, &spot, server.client.encoding)).collect()
}

fn referring(server: &Server, params: &ReferenceParams) -> Value {
    let Some((file, symbol)) = symbol(server, &params.text_document_position) else { return Value::Null };
    let sources = &file.project.sources;
    let declared = definition(sources, file.source, &symbol).filter(|_| !params.context.include_declaration);
    let spots = references(sources, file.source, &symbol).into_iter().filter(|spot| Some(spot) != declared.as_ref());
    json!(locations(server, &file, spots))
}

fn format(server: &Server, params: &DocumentFormattingParams) -> Value {
    let Some(file) = server.file(&params.text_document.uri) else { return Value::Null };
    let text = toolc_codegen::format::format(file.source.kind, &file.source.text);
    // A text that is not valid TOML stays as it is: the findings say why.
    let edit = text.and_then(|new| text::edit(&file.source.text, &new, server.client.encoding));
    json!(edit.into_iter().collect::<Vec<_>>())
}

fn refused(why: String) -> (ErrorCode, String) {
    (ErrorCode::RequestFailed, why)
}

fn prepare_rename(server: &Server, place: &TextDocumentPositionParams) -> Answer {
    let Some((file, symbol)) = symbol(server, place) else {
        return Err(refused("no tool, toolset or parameter is named here".to_owned()));
    };
    match rename::obstacle(&file.project.sources, &symbol) {
        Some(why) => Err(refused(why)),
        None => Ok(json!({
            "range": text::range(&file.source.text, &symbol.range, server.client.encoding),
            "placeholder": symbol.name,
        })),
    }
}

fn renamed(server: &Server, params: &RenameParams) -> Answer {
    let Some((file, symbol)) = symbol(server, &params.text_document_position) else {
        return Err(refused("no tool, toolset or parameter is named here".to_owned()));
    };
    let project = file.project;
    let moves_file = matches!(symbol.target, Target::Tool | Target::Toolset);
    if moves_file && !server.client.renames_files {
        let why = "a tool or toolset has the name of its file, and this editor cannot rename files in an edit";
        return Err(refused(why.to_owned()));
    }
    let found =
        rename::rename(&project.sources, file.source, &symbol, &params.new_name, project.last()).map_err(refused)?;
    let mut changes: Vec<Value> = Vec::new();
    for (path, new) in &found.files {
        let (Some(source), Some((uri, version))) = (project.source(path), identify(server, file.project, path)) else {
            continue;
        };
        if let Some(edit) = text::edit(&source.text, new, server.client.encoding) {
            changes.push(json!({ "textDocument": { "uri": uri, "version": version }, "edits": [edit] }));
        }
    }
    if let Some((from, to)) = &found.moved {
        let [old, new] = [from, to].map(|path| address(&project.root, path));
        changes.push(json!({ "kind": "rename", "oldUri": old, "newUri": new }));
    }
    Ok(json!({ "documentChanges": changes }))
}

/// Returns the address of a file, and its version if it is open.
fn identify(server: &Server, project: &crate::project::Project, path: &str) -> Option<(Url, Option<i32>)> {
    let uri = address(&project.root, path)?;
    Some(match server.documents.get(&uri) {
        Some(document) => (document.uri.clone(), Some(document.version)),
        None => (uri, None),
    })
}

fn code_actions(server: &Server, params: &CodeActionParams) -> Value {
    let Some(file) = server.file(&params.text_document.uri) else { return Value::Null };
    let found = file.project.shown.get(&file.source.path).map(Vec::as_slice).unwrap_or_default();
    let mut actions = actions(found, params.range, |path| identify(server, file.project, path));
    if let Some(only) = &params.context.only {
        actions.retain(|action| match action {
            lsp_types::CodeActionOrCommand::CodeAction(action) => {
                let kind = action.kind.as_ref().map_or("", |kind| kind.as_str());
                only.iter().any(|only| kind == only.as_str() || kind.starts_with(&format!("{}.", only.as_str())))
            }
            lsp_types::CodeActionOrCommand::Command(_) => false,
        });
    }
    json!(actions)
}

fn lenses(server: &Server, params: &CodeLensParams) -> Value {
    let Some(file) = server.file(&params.text_document.uri) else { return Value::Null };
    let Some(graph) = file.project.graph() else { return json!([]) };
    let lens = hover::lens(graph, file.source).map(|(offset, title)| {
        let range = text::range(&file.source.text, &(offset..offset), server.client.encoding);
        json!({ "range": range, "command": { "title": title, "command": "" } })
    });
    json!(lens.into_iter().collect::<Vec<_>>())
}
