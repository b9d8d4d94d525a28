// Starts the language server for the manifests of a workspace.

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

/** The files that the server knows. VS Code has no language for TOML without another extension, so the paths decide. */
const FILES = ["**/manifests/**/*.toml", "**/toolc.toml", "**/plugin.toml"];

let client;

async function activate() {
  const settings = workspace.getConfiguration("toolc");
  const [command, ...args] = settings.get("command");
  const dialect = settings.get("dialect");
  if (dialect) {
    args.push("--dialect", dialect);
  }
  const documentSelector = FILES.map((pattern) => ({ scheme: "file", pattern }));
  client = new LanguageClient("toolc", "toolc", { command, args }, { documentSelector });
  await client.start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
