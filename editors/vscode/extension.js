// The client: it starts `sipc lsp`, and tells it of settings and of files that specs name.
"use strict";

const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

function settings() {
  return { data: vscode.workspace.getConfiguration("sipc").get("data") };
}

function newClient() {
  const command = vscode.workspace.getConfiguration("sipc").get("path") || "sipc";
  const run = { command, args: ["lsp", "--stdio"], transport: TransportKind.stdio };
  return new LanguageClient("sipc", "sipc", { run, debug: run }, {
    documentSelector: [{ language: "sipc" }],
    initializationOptions: settings(),
    synchronize: {
      // What a spec names: its data, taxonomies, graphs, families and their lock.
      fileEvents: vscode.workspace.createFileSystemWatcher("**/{*.csv,*.csv.gz,*.tsv,*.arff,*.parquet,*.txt,*.obo,sipc.lock}"),
    },
  });
}

async function start() {
  client = newClient();
  try {
    await client.start();
  } catch (err) {
    const path = vscode.workspace.getConfiguration("sipc").get("path");
    vscode.window.showErrorMessage(`sipc: ${path} lsp does not start (${err.message}). Install sipc, or name it in the setting sipc.path.`);
  }
}

async function stop() {
  const old = client;
  client = undefined;
  if (old && old.isRunning()) {
    await old.stop();
  }
}

async function restart() {
  await stop();
  await start();
}

function told() {
  if (client && client.isRunning()) {
    client.sendNotification("workspace/didChangeConfiguration", { settings: { sipc: settings() } });
  }
}

exports.activate = async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("sipc.restart", restart),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("sipc.path")) {
        restart();
      } else if (change.affectsConfiguration("sipc")) {
        told();
      }
    }),
  );
  await start();
};

exports.deactivate = stop;
