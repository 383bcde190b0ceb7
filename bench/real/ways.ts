import { randomUUID } from "node:crypto";
import { NODE_ARGUMENTS } from "../../src/cli/node-arguments.js";
import { connectProxy } from "../../src/rollout/connect.js";
import { startRecordingFront } from "../../test/helpers/recording-front.js";
import type { EngineName } from "../../test/real/support/install-engine.js";
import { type Child, startChild } from "../kit/processes.js";
import { ADMIN_KEY } from "../kit/servers.js";
import type { Prompt } from "./prompts.js";

/** Output tokens of each call. */
export const TOKENS = 32;

/** Where the engine runs, and what it serves. */
export interface Target {
  readonly name: EngineName;
  readonly url: string;
  /** Folder of the model. */
  readonly model: string;
  readonly served: string;
}

/** How a call reaches the engine. */
export interface Way {
  readonly name: string;
  /** Origin of the server that gets the request. */
  readonly origin: string;
  readonly path: string;
  toRequest(prompt: Prompt, worker: number): { readonly headers: Record<string, string>; readonly body: string };
}

const JSON_TYPE = { "content-type": "application/json" };
/** Fields of the request that an agent sends, to Rolltape or to the engine's own endpoint. */
const FIELDS = { max_tokens: TOKENS, ignore_eos: true, temperature: 1 };

export function startRolltape({ name, url, model, served }: Target, args: readonly string[]): Promise<Child> {
  const settings = [
    "server.port=0",
    "server.shutdown_seconds=0",
    "server.log_level=error",
    `engine.type=${name}`,
    `engine.urls=${url}`,
    `model.path=${model}`,
    ...(name === "vllm" ? [`engine.served_model=${served}`] : []),
  ];
  const command = [...NODE_ARGUMENTS, "dist/cli/main.js", "serve", ...settings, ...args];
  return startChild(process.execPath, command, { ROLLTAPE_ADMIN_API_KEY: ADMIN_KEY });
}

/** Calls through Rolltape. Each worker has its own session. */
export async function throughRolltape({ url }: Child, workers: number): Promise<Way> {
  const trainer = connectProxy({ url, adminKey: ADMIN_KEY });
  await trainer.admin.grantCapacity(workers);
  const keys: string[] = [];
  for (let i = 0; i < workers; i++) keys.push((await trainer.admin.startSession()).sessionApiKey);
  await trainer.close();
  return {
    name: "Rolltape",
    origin: url,
    path: "/v1/chat/completions",
    toRequest: ({ messages }, worker) => ({
      headers: { ...JSON_TYPE, authorization: `Bearer ${keys[worker % keys.length]}` },
      body: JSON.stringify({ model: "default", messages, ...FIELDS }),
    }),
  };
}

/** Calls of the engine's own chat endpoint, without log probabilities. */
export function ownChat({ url, served }: Target): Way {
  return {
    name: "chat endpoint",
    origin: url,
    path: "/v1/chat/completions",
    toRequest: ({ messages }) => ({
      headers: JSON_TYPE,
      body: JSON.stringify({ model: served, messages, ...FIELDS }),
    }),
  };
}

/** The body of a request with token ids: what is before them, between them and the request's id, and after that. */
const BODY =
  /^(?<start>\{"(?:input_ids|token_ids|prompt)":)\[[\d,]*\](?<middle>.*"(?:rid|request_id)":")[^"]+(?<end>".*)$/s;

/**
 * Calls with the same requests that Rolltape sends, straight to the engine. One call through Rolltape and a proxy that records it shows
 * what they are.
 *
 * @throws Error if the request has another form
 */
export async function sameRequests(target: Target, prompt: Prompt): Promise<Way> {
  await using front = await startRecordingFront(target.url);
  const rolltape = await startRolltape({ ...target, url: front.url }, []);
  try {
    const way = await throughRolltape(rolltape, 1);
    const { headers, body } = way.toRequest(prompt, 0);
    const answer = await fetch(rolltape.url + way.path, { method: "POST", headers, body });
    if (answer.status !== 200) throw new Error(`Rolltape answered ${answer.status}: ${await answer.text()}`);
    await answer.text();
  } finally {
    await rolltape.stop();
  }
  // Requests that ask the server for its log probabilities have one output token.
  const sent = front.calls.find((call) => call.method === "POST" && call.body.includes(`tokens":${TOKENS}`));
  const parts = BODY.exec(sent?.body ?? "")?.groups;
  if (!sent || !parts) throw new Error(`Rolltape sent no request with token ids: ${sent?.body ?? "nothing"}`);
  const { start = "", middle = "", end = "" } = parts;
  return {
    name: "same request",
    origin: target.url,
    path: sent.path,
    toRequest: ({ ids }) => {
      const id = randomUUID().replaceAll("-", "");
      const header = sent.headers["x-request-id"] === undefined ? {} : { "x-request-id": id };
      return { headers: { ...JSON_TYPE, ...header }, body: `${start}[${ids.join(",")}]${middle}${id}${end}` };
    },
  };
}
