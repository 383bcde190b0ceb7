import { randomUUID } from "node:crypto";
import type { EngineReply } from "../../native/contract.js";
import type { GenerateCall, LogprobContent, PauseMode } from "../engine.js";
import { ServerConnections } from "../servers/connections.js";
import { post, requireHealthy } from "../servers/control.js";
import type { EngineServer } from "../servers/engine-server.js";
import { generateOnce } from "../servers/generate-once.js";
import { requestBody } from "../servers/request-body.js";
import { askContextLength } from "./context-length.js";
import { REQUEST_PREFIX, requestSuffix } from "./request-fields.js";

/** A pause returns when the last running generation was cut. */
const PAUSE_MS = 60_000;

/** One SGLang server, or a router in front of several. */
export class SglangServer implements EngineServer {
  readonly url: string;
  /** SGLang says nowhere whether it was started with SGLANG_RETURN_ORIGINAL_LOGPROB: its default is assumed. */
  readonly logprobs = "temperature";
  readonly #connections: ServerConnections;

  constructor(url: string, connections: number, apiKey: string | undefined) {
    this.url = url;
    this.#connections = new ServerConnections(url, connections, apiKey);
  }

  async request(call: GenerateCall, signal: AbortSignal): Promise<EngineReply> {
    const { generation, sampling } = call;
    const rid = randomUUID().replaceAll("-", "");
    const suffix = requestSuffix(sampling, sampling.maxTokens - generation.length, rid, call.onTokens !== undefined);
    const body = await requestBody(call, REQUEST_PREFIX, suffix);
    signal.throwIfAborted();
    // The lost connection alone takes a server seconds to notice.
    const abort = () => this.#abort(rid);
    signal.addEventListener("abort", abort, { once: true });
    try {
      return await generateOnce(this.#connections, call, { path: "generate", body, format: "sglang" }, signal);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  /** Fire and forget, for the generation's own connection is closed besides. */
  #abort(rid: string): void {
    this.#connections.control({ method: "POST", path: "abort_request", body: { rid } }).catch(() => undefined);
  }

  async findLogprobs(): Promise<LogprobContent> {
    return this.logprobs;
  }

  contextLength(): Promise<number> {
    return askContextLength(this.#connections);
  }

  health(signal?: AbortSignal): Promise<void> {
    return requireHealthy(this.#connections, signal);
  }

  pause(mode: PauseMode): Promise<void> {
    const body = { mode: mode === "keep" ? "in_place" : "abort" };
    return post(this.#connections, { path: "pause_generation", body, timeoutMilliseconds: PAUSE_MS });
  }

  resume(): Promise<void> {
    return post(this.#connections, { path: "continue_generation", body: {} });
  }

  close(): Promise<void> {
    return this.#connections.close();
  }
}
