import { signal } from "@preact/signals";
import { render } from "preact";
import type { KeyRequest } from "./components/key-dialog.js";
import { ViewerApp } from "./components/viewer-app.js";
import { AdminKeyPrompt } from "./source/admin-key-prompt.js";
import { createEmbeddedSource } from "./source/embedded-source.js";
import { createHttpSource } from "./source/http-source.js";
import { createStore } from "./state/store.js";
import "./styles/main.css";

const keyRequest = signal<KeyRequest | null>(null);

function askForKey(message: string): Promise<string> {
  return new Promise<string>((resolve) => {
    keyRequest.value = { message, resolve };
  }).finally(() => (keyRequest.value = null));
}

// The code that opened the page works once. It does not belong in the history.
if (location.search.startsWith("?code=")) history.replaceState(null, "", location.pathname + location.hash);

const readBlock = (id: string): string | undefined => document.getElementById(id)?.textContent ?? undefined;
const source = createEmbeddedSource(readBlock) ?? createHttpSource(new AdminKeyPrompt(askForKey, sessionStorage));
const store = createStore(source);
// Before the first render, so that the server works at the same time.
void store.load();

const root = document.getElementById("app");
if (root) render(<ViewerApp store={store} keyRequest={keyRequest} />, root);
