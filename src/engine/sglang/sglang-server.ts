import { randomUUID } from "node:crypto";
import { isTruncated } from "../../facts/sampling.js";
import { onAbort } from "../../support/async/on-abort.js";
import { sleep } from "../../support/async/sleep.js";
import {
  EngineError,
  type LogprobContent,
  type LoraAdapter,
  NotLoadedError,
  type PauseMode,
  type ServerNeeds,
  type ServerWarning,
  type WeightSource,
} from "../engine.js";
import { markForced } from "../servers/call/mark-forced.js";
import { StopReached } from "../servers/call/stop-watch.js";
import { TokenValues } from "../servers/call/token-values.js";
import type { EngineServer, ReportedWeights, ServerReply, ServerRequest } from "../servers/engine-server.js";
import { ServerAdapters } from "../servers/server-adapters.js";
import { ServerVersions } from "../servers/versions/server-versions.js";
import { ServerConnections } from "../servers/wire/connections.js";
import {
  askVersion,
  postControl,
  postUpdate,
  postUpdateIfServed,
  requireHealthy,
} from "../servers/wire/control-requests.js";
import { KeyRefusedError, NotServedError } from "../servers/wire/errors.js";
import { generateOnce, writeBody } from "../servers/wire/generate-once.js";
import { writeImageBody } from "../servers/wire/image-body.js";
import { type AdapterCalls, loadAdapter, unloadAdapter } from "../servers/wire/load-adapter.js";
import { askContextLength } from "./context-length.js";
import { listSglangWarnings } from "./flag-warnings.js";
import { PromptProbe } from "./prompt-probe.js";
import { imageField, REQUEST_PREFIX, requestSuffix } from "./request-fields.js";
import { ServerInfo } from "./server-info.js";
import type { SglangOptions } from "./sglang-options.js";

/** Time limit of a pause, which returns after the last running generation was cut, and of what waits for another pause. */
const PAUSE_MS = 60_000;

/**
 * Time between two attempts to pause while a grammar is compiled. After the last one, its request is cut. Each attempt costs
 * the running generations a prefill.
 */
const COMPILE_MS = [50, 200, 500, 1000, 2000, 4000] as const;

/** Pauses before the caches are flushed again. SGLang refuses while the last cut generations are being returned. */
const FLUSH_PAUSES_MS = [50, 200, 500, 1000, 2000] as const;

/**
 * Endpoints that show whether the server answers: the current name, an older name, and the name on routers. A server's own
 * `/health` generates a token by default, so it takes a second, waits during a pause and fails during a long prompt.
 */
const HEALTH_PATHS = ["model_info", "get_model_info", "health"];

/** The scheduler answers this one between two steps of the model, and also while it is paused. */
const SCHEDULER_PATH = "server_info";

const ADAPTERS: AdapterCalls = { prefix: "", admin: true, advice: "Start SGLang with `--enable-lora`." };

/** One SGLang server, or a router in front of several. */
export class SglangServer implements EngineServer {
  readonly url: string;
  readonly versions = new ServerVersions();
  readonly budgetStart = "output";
  /** SGLang does not report SGLANG_RETURN_ORIGINAL_LOGPROB, so its default is assumed. */
  readonly logprobs = "temperature";
  readonly maskedLogprobs = "truncated";
  readonly #connections: ServerConnections;
  readonly #info: ServerInfo;
  readonly #promptProbe: PromptProbe;
  readonly #values: TokenValues;
  readonly #onWarning: ((message: string) => void) | undefined;
  /** The last abort was refused, and a warning was logged. */
  #abortsRefused = false;
  readonly adapters = new ServerAdapters((name) => unloadAdapter(this.#connections, name, ADAPTERS));

  constructor(url: string, options: SglangOptions) {
    this.url = url;
    this.#values = new TokenValues(url, options);
    this.#connections = new ServerConnections(url, options.maxInflight, options);
    this.#info = new ServerInfo(this.#connections);
    this.#promptProbe = new PromptProbe(this.#connections);
    this.#onWarning = options.onWarning;
  }

  async send(request: ServerRequest): Promise<ServerReply> {
    const { call, signal } = request;
    const { generation, sampling } = call;
    const [image] = call.images ?? [];
    if (image) await this.#promptProbe.require(call, image);
    const rid = randomUUID().replaceAll("-", "");
    const thinkingBudget = sampling.thinkingBudget === undefined ? undefined : await this.#chooseBudget(request);
    if (sampling.seed !== undefined && !(await this.#info.ask()).seeds) request.ignored("seed");
    const stream = call.onTokens !== undefined || this.versions.isStreamed;
    using use = this.adapters.begin();
    if (use) request.versions.fix(use.adapter.version);
    const adapter = use?.adapter.name;
    const asked = this.#values.ask(call, isTruncated(sampling));
    const suffix = requestSuffix({ sampling, tokens: generation.length, thinkingBudget, asked, rid, stream, adapter });
    const { body, onSent } = call.images
      ? { body: writeImageBody(call, { prefix: REQUEST_PREFIX, images: imageField(call.images), suffix }) }
      : await writeBody(call, REQUEST_PREFIX, suffix);
    signal.throwIfAborted();
    // Without an abort request, a server needs seconds to notice that the connection is closed.
    const abort = () => void this.#abort(rid);
    using _listening = onAbort(signal, abort);
    try {
      const maxMaskIds = asked.masks ? sampling.topK : 0;
      const encoded = { path: "generate", body, onSent, format: "sglang", asked, maxMaskIds } as const;
      const reply = await generateOnce(this.#connections, request, encoded);
      this.#values.note(asked, reply, call, "update SGLang");
      return reply;
    } catch (error) {
      if (error instanceof StopReached) abort();
      throw adapter === undefined ? error : adapterError(error, adapter);
    }
  }

  /**
   * Returns the budget for the reasoning that the server enforces. It counts from the first token of a request, so after a cut it
   * gets the rest. Under a grammar it would apply the grammar only behind the reasoning.
   */
  async #chooseBudget(request: ServerRequest): Promise<number | undefined> {
    const { call } = request;
    const { sampling, generation, reasoning } = call;
    const { thinkingBudget = 0, grammar } = sampling;
    const isResumable = generation.length === 0 || reasoning !== undefined;
    if (!isResumable || grammar !== undefined || !(await this.#info.ask()).budgets) {
      request.ignored("thinkingBudget");
      return undefined;
    }
    if (generation.length > 0 && !markForced(call, this)) return undefined;
    return Math.max(0, thinkingBudget - generation.length);
  }

  /** Sends an abort. Callers do not wait for it, because the generation's connection is closed anyway. */
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
      // The next request notices that the server is unreachable.
    }
  }

  /** Warns once until an abort succeeds; otherwise every client that disconnects would repeat the warning. */
  #warnOfRefusal(status: number): void {
    if (this.#abortsRefused) return;
    const { origin } = new URL(this.url);
    this.#onWarning?.(
      `The engine at ${origin} refused to abort a generation (HTTP ${status}). The generation continues until the engine ` +
        "notices the closed connection. If the server was started with --admin-api-key, set engine.admin_api_key.",
    );
  }

  async findLogprobs(): Promise<LogprobContent> {
    return this.logprobs;
  }

  listWarnings(needs: ServerNeeds, signal: AbortSignal): Promise<ServerWarning[]> {
    return listSglangWarnings(this.#connections, needs, signal);
  }

  contextLength(): Promise<number> {
    return askContextLength(this.#connections);
  }

  weightUpdate(): Promise<ReportedWeights> {
    return askVersion(this.#connections, "model_info");
  }

  health(signal?: AbortSignal): Promise<void> {
    return requireHealthy(this.#connections, HEALTH_PATHS, signal);
  }

  /** Any status counts as an answer, for example a router's 404 or a refused key. */
  async schedulerHealth(signal?: AbortSignal): Promise<void> {
    await this.#connections.get(SCHEDULER_PATH, signal);
  }

  /**
   * An abort pause waits for the end of all generations, and blocks the end of the pause meanwhile. On a server that is paused in
   * another mode they never end, so such a pause is ended first. Another proxy may have begun it, so it is always ended.
   */
  async pause(mode: PauseMode): Promise<void> {
    if (mode === "keep") return this.#pause("in_place");
    await this.#continue();
    await this.#pause("abort");
  }

  /**
   * Generations stay on the server with the mode `retract`: it computes them again after the pause.
   *
   * The caches are flushed already here, because SGLang refuses that while it has a request whose grammar is being compiled,
   * and does not take the finished grammar during a pause. With the new weights it would be too late to end the pause for
   * that: generations would read the caches of the old weights.
   */
  async pauseForUpdate(): Promise<void> {
    if (!(await this.#info.ask()).retracts) return this.pause("abort");
    for (const milliseconds of COMPILE_MS) {
      await this.#pause("retract");
      if (await this.#flushUnlessBusy()) return;
      await this.#continue();
      await sleep(milliseconds);
    }
    await this.pause("abort");
  }

  #pause(mode: "abort" | "in_place" | "retract"): Promise<void> {
    const path = "pause_generation";
    return postControl(this.#connections, { path, body: { mode }, admin: true, timeoutMilliseconds: PAUSE_MS });
  }

  resume(): Promise<void> {
    return this.#continue();
  }

  #continue(): Promise<void> {
    const path = "continue_generation";
    return postControl(this.#connections, { path, body: {}, admin: true, timeoutMilliseconds: PAUSE_MS });
  }

  async #flushUnlessBusy(): Promise<boolean> {
    try {
      await postUpdate(this.#connections, { path: "flush_cache", admin: true, timeoutMilliseconds: PAUSE_MS });
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
  }

  /** `keep_pause` keeps the scheduler paused afterwards. Older servers ignore it and never resume on their own. */
  async loadWeights({ path, version }: WeightSource, signal: AbortSignal): Promise<void> {
    const body = {
      model_path: path,
      weight_version: String(version),
      abort_all_requests: false,
      keep_pause: true,
      flush_cache: false,
    };
    try {
      await postUpdate(this.#connections, { path: "update_weights_from_disk", body, admin: true, signal });
    } catch (error) {
      throw isUnopened(error) ? new NotLoadedError(error.code, error.message, { cause: error }) : error;
    }
  }

  async flushCache(signal: AbortSignal): Promise<void> {
    for (const pause of FLUSH_PAUSES_MS) {
      try {
        return await this.#flush(signal);
      } catch (error) {
        if (!isBusy(error)) throw error;
        await sleep(pause, signal);
      }
    }
    await this.#flush(signal);
  }

  #flush(signal: AbortSignal): Promise<void> {
    return postUpdate(this.#connections, { path: "flush_cache", admin: true, signal });
  }

  /** Without `abort_all_requests`, SGLang would abort all requests. */
  setWeightVersion(version: number, signal: AbortSignal): Promise<boolean> {
    const body = { new_version: String(version), abort_all_requests: false };
    return postUpdateIfServed(this.#connections, { path: "update_weight_version", body, admin: true, signal });
  }

  async requireSleep(): Promise<void> {
    if ((await this.#info.ask()).sleeps) return;
    throw new EngineError(
      "engine_error",
      "The engine cannot free its memory. Start SGLang with `--enable-memory-saver`.",
    );
  }

  async sleep(signal: AbortSignal): Promise<boolean> {
    await postUpdate(this.#connections, { path: "release_memory_occupation", body: {}, admin: true, signal });
    return (await this.#info.ask()).keepsWeights;
  }

  /** Ends the process of an SGLang that does not sleep. */
  wake(signal: AbortSignal): Promise<void> {
    return postUpdate(this.#connections, { path: "resume_memory_occupation", body: {}, admin: true, signal });
  }

  loadAdapter(adapter: LoraAdapter, signal: AbortSignal): Promise<void> {
    return loadAdapter(this.#connections, adapter, ADAPTERS, signal);
  }

  close(): Promise<void> {
    return this.#connections.close();
  }
}

/** Returns true if SGLang could not open the new weights, so it has begun nothing. */
function isUnopened(error: unknown): error is EngineError {
  return error instanceof EngineError && error.message.includes("Failed to get weights iterator");
}

/**
 * SGLang refuses an adapter that it does not know with HTTP 400, as if the client had asked for it. A server that was restarted has
 * none.
 */
function adapterError(error: unknown, name: string): unknown {
  if (!(error instanceof EngineError) || !/adapter that has never been loaded|LoRA is not enabled/.test(error.message))
    return error;
  const message = `The engine has lost the adapter ${name}, because it was restarted. Load the next adapter with \`POST /rl/weights\`.`;
  return new EngineError("engine_error", message, { cause: error });
}

/** Returns true for a refusal that may have passed in a moment. */
function isBusy(error: unknown): boolean {
  const isLasting = error instanceof NotServedError || error instanceof KeyRefusedError;
  return error instanceof EngineError && error.code === "engine_error" && !isLasting;
}
