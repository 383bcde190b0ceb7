import type { Interaction } from "../../../src/client/interaction.js";
import { SessionClient } from "../../../src/client/session-client.js";
import { parseConfig } from "../../../src/config/index.js";
import { type ConnectedProxy, connectProxy } from "../../../src/rollout/connect.js";
import { type RunningServer, startServer } from "../../../src/server/start.js";
import { type RecordingFront, startRecordingFront } from "../../helpers/recording-front.js";
import { readSafetensors, type SafeTensors } from "../../helpers/safetensors.js";
import type { EngineName } from "./install-engine.js";

const ADMIN_KEY = "sk-admin-of-the-real-tests";

/** A server to put Rolltape in front of. */
export interface RigTarget {
  readonly url: string;
  readonly model: string;
  readonly served: string;
}

export interface RigSession {
  readonly id: string;
  readonly key: string;
  /** Sends a chat completion with the session's key. */
  readonly chat: (body: Readonly<Record<string, unknown>>) => Promise<ChatAnswer>;
  readonly end: () => Promise<number>;
  /** Ends the session and returns what it recorded, with messages. */
  readonly exported: () => Promise<Interaction[]>;
}

export interface ChatAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body, or the events of a stream. */
  readonly text: string;
  /** The choices of a body that is not a stream. */
  readonly choices: readonly ChatChoice[];
}

export interface ChatChoice {
  readonly finish_reason: string;
  readonly message: { readonly content: string | null; readonly tool_calls?: readonly ToolCall[] };
}

interface ToolCall {
  readonly function: { readonly name: string; readonly arguments: string };
}

/** Rolltape in front of a real engine, with the referee between them, which logs what both send. */
export interface Rig extends AsyncDisposable {
  readonly server: RunningServer;
  readonly referee: RecordingFront;
  /** The trainer's calls. */
  readonly trainer: ConnectedProxy;
  readonly adminKey: string;
  session(): Promise<RigSession>;
}

/**
 * Starts Rolltape as `rolltape serve` does, with the referee as its engine.
 *
 * @param settings configuration keys such as `engine.max_inflight`, with their values
 */
export async function openRig(
  engine: EngineName,
  { url, model, served }: RigTarget,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Rig> {
  const referee = await startRecordingFront(url, true);
  const config = parseConfig(
    nest({
      "server.port": 0,
      "model.path": model,
      "engine.type": engine,
      "engine.urls": [referee.url],
      ...(engine === "vllm" ? { "engine.served_model": served } : {}),
      ...settings,
    }),
  );
  const server = await startServer(config, { adminKey: ADMIN_KEY });
  const trainer = connectProxy({ url: server.url, adminKey: ADMIN_KEY });
  await trainer.admin.grantCapacity(10_000);
  const session = async (): Promise<RigSession> => {
    const client = await SessionClient.start(trainer.admin);
    const { sessionId: id, sessionApiKey: key } = client;
    const exported = async () => {
      await client.end();
      return [...(await trainer.admin.exportTrajectories(id, { include: ["messages"] })).values()];
    };
    return { id, key, chat: (body) => chat(server.url, key, body), end: () => client.end(), exported };
  };
  const close = async () => {
    await trainer.close();
    await server.close();
    await referee[Symbol.asyncDispose]();
  };
  return { server, referee, trainer, adminKey: ADMIN_KEY, session, [Symbol.asyncDispose]: close };
}

async function chat(url: string, key: string, body: Readonly<Record<string, unknown>>): Promise<ChatAnswer> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const { choices = [] } = text.startsWith("{") ? (JSON.parse(text) as { choices?: readonly ChatChoice[] }) : {};
  return { status: response.status, headers: response.headers, text, choices };
}

/** Exports sessions in a packed batch with a row for each turn, and returns its tensors. */
export async function exportPacked(
  rig: Pick<Rig, "server" | "adminKey">,
  sessionIds: readonly string[],
): Promise<SafeTensors["tensors"]> {
  return readSafetensors(await exportPackedFile(rig, sessionIds)).tensors;
}

/** Exports sessions in a packed batch with a row for each turn, and returns the bytes of its file. */
export async function exportPackedFile(
  { server, adminKey }: Pick<Rig, "server" | "adminKey">,
  session_ids: readonly string[],
): Promise<Buffer> {
  const response = await fetch(`${server.url}/export_batch`, {
    method: "POST",
    headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
    body: JSON.stringify({ session_ids, layout: "packed", style: "individual" }),
  });
  return Buffer.from(await response.arrayBuffer());
}

/** Turns `{"a.b": 1}` into `{a: {b: 1}}`. */
function nest(settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(settings)) {
    const names = key.split(".");
    const last = names.pop() ?? "";
    let section = root;
    for (const name of names) section = (section[name] ??= {}) as Record<string, unknown>;
    section[last] = value;
  }
  return root;
}
