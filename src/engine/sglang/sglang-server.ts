import { randomUUID } from "node:crypto";
import type { EngineReply } from "../../native/contract.js";
import { onAbort } from "../../support/async/on-abort.js";
import type { LogprobContent, PauseMode } from "../engine.js";
import { StopReached } from "../servers/call/stop-watch.js";
import type { EngineServer, ServerCall, WeightUpdate } from "../servers/engine-server.js";
import { ServerConnections } from "../servers/wire/connections.js";
import { post, requireHealthy } from "../servers/wire/control-requests.js";
import { generateOnce } from "../servers/wire/generate-once.js";
import { jsonObject, versionNumber } from "../servers/wire/json.js";
import { requestBody } from "../servers/wire/request-body.js";
import { askContextLength } from "./context-length.js";
import { REQUEST_PREFIX, requestSuffix } from "./request-fields.js";
import type { SglangOptions } from "./sglang-options.js";

/** A pause returns when the last running generation was cut. */
const PAUSE_MS = 60_000;

/** Time limit of the request for the weight version: a call waits for it. */
const VERSION_MS = 2_000;

/**
 * Endpoints that show whether the server answers: the present name, an older one, and that of routers. `/health` of a server
 * generates a token by default: it takes a second, waits during a pause, and is a 503 while a long prompt is read.
 */
const HEALTH_PATHS = ["model_info", "get_model_info", "health"];

/** Answered by the scheduler, between two steps of the model; also while it is paused. */
const SCHEDULER_PATH = "server_info";

/** One SGLang server, or a router in front of several. */
export class SglangServer implements EngineServer {
  readonly url: string;
  /** SGLang says nowhere whether it was started with SGLANG_RETURN_ORIGINAL_LOGPROB: its default is assumed. */
  readonly logprobs = "temperature";
  readonly #connections: ServerConnections;
  readonly #onWarning: ((message: string) => void) | undefined;
  /** True if the last abort was refused, which was reported. */
  #abortsRefused = false;

  constructor(url: string, options: SglangOptions) {
    this.url = url;
    this.#connections = new ServerConnections(url, options.connections, options);
    this.#onWarning = options.onWarning;
  }

  async request(call: ServerCall, signal: AbortSignal): Promise<EngineReply> {
    const { generation, sampling } = call;
    const rid = randomUUID().replaceAll("-", "");
    const suffix = requestSuffix(sampling, sampling.maxTokens - generation.length, rid, call.onTokens !== undefined);
    const body = await requestBody(call, REQUEST_PREFIX, suffix);
    signal.throwIfAborted();
    // The lost connection alone takes a server seconds to notice.
    const abort = () => void this.#abort(rid);
    using _listening = onAbort(signal, abort);
    try {
      return await generateOnce(this.#connections, call, { path: "generate", body, format: "sglang" }, signal);
    } catch (error) {
      if (error instanceof StopReached) abort();
      throw error;
    }
  }

  /** Not waited for, because the generation's own connection is closed besides. */
  async #abort(rid: string): Promise<void> {
    try {
      const { status } = await this.#connections.control({
        method: "POST",
        path: "abort_request",
        body: { rid },
        admin: true,
      });
      if (status !== 200) this.#warnOfRefusal(status);
      this.#abortsRefused = status !== 200;
    } catch {
      // A server out of reach is found out by the next request.
    }
  }

  /** Once, until an abort succeeds: every agent that leaves would repeat it. */
  #warnOfRefusal(status: number): void {
    if (this.#abortsRefused) return;
    const { origin } = new URL(this.url);
    this.#onWarning?.(
      `The engine at ${origin} refused to abort a generation (HTTP ${status}); it generates on until it notices that the ` +
        "connection is closed. Servers started with --admin-api-key need engine.admin_api_key.",
    );
  }

  async findLogprobs(): Promise<LogprobContent> {
    return this.logprobs;
  }

  contextLength(): Promise<number> {
    return askContextLength(this.#connections);
  }

  async weightUpdate(): Promise<WeightUpdate> {
    const asked = await this.#connections.get("model_info", AbortSignal.timeout(VERSION_MS)).catch(() => undefined);
    return asked?.status === 200 ? { version: versionNumber(jsonObject(asked.body)["weight_version"]) } : {};
  }

  health(signal?: AbortSignal): Promise<void> {
    return requireHealthy(this.#connections, HEALTH_PATHS, signal);
  }

  /** Any answer will do: a router, or a server that wants another key, answers as well. */
  async schedulerHealth(signal?: AbortSignal): Promise<void> {
    await this.#connections.get(SCHEDULER_PATH, signal);
  }

  pause(mode: PauseMode): Promise<void> {
    const body = { mode: mode === "keep" ? "in_place" : "abort" };
    return post(this.#connections, { path: "pause_generation", body, admin: true, timeoutMilliseconds: PAUSE_MS });
  }

  resume(): Promise<void> {
    return post(this.#connections, { path: "continue_generation", body: {}, admin: true });
  }

  close(): Promise<void> {
    return this.#connections.close();
  }
}
