import { type Engine, EngineError, type GenerateCall, type GenerateResult } from "../engine.js";
import { askContextLength } from "./context-length.js";
import { startDeadline } from "./deadline.js";
import type { SglangOptions } from "./options.js";
import { rendezvous } from "./rendezvous.js";
import { resumableCall } from "./resumable-call.js";
import { SglangServer } from "./server.js";

/** One or more SGLang servers, spoken to through `/generate` with token ids. */
class SglangEngine implements Engine {
  readonly type = "sglang";
  readonly #options: SglangOptions;
  readonly #servers: readonly SglangServer[];
  #contextLength: Promise<number> | undefined;

  constructor(options: SglangOptions) {
    this.#options = options;
    this.#servers = options.urls.map((url) => new SglangServer(url, options.connections, options.apiKey));
  }

  contextLength(): Promise<number> {
    this.#contextLength ??= this.#askContextLength().catch((error: unknown) => {
      this.#contextLength = undefined;
      throw error;
    });
    return this.#contextLength;
  }

  async #askContextLength(): Promise<number> {
    if (this.#options.contextLength !== undefined) return this.#options.contextLength;
    return Math.min(...(await Promise.all(this.#servers.map(askContextLength))));
  }

  async generate(call: GenerateCall): Promise<GenerateResult> {
    const server = this.#servers[rendezvous(call.affinityKey, this.#options.urls)];
    if (!server) throw new EngineError("engine_unavailable", "There is no engine server.");
    const deadline = startDeadline(call.signal, this.#options.timeoutSeconds);
    try {
      return await resumableCall(server, call, deadline.signal);
    } finally {
      deadline.clear();
    }
  }

  /** Healthy is an engine all of whose servers are: a call cannot choose its server. */
  async health(signal?: AbortSignal): Promise<void> {
    await Promise.all(
      this.#servers.map(async (server) => {
        const { status } = await server.get("health", signal);
        if (status !== 200) throw new EngineError("engine_unavailable", `The engine is not healthy (HTTP ${status}).`);
      }),
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }
}

/** @throws RangeError where an option is out of range, TypeError where an address is not a URL. */
export function createSglangEngine(options: SglangOptions): Engine {
  if (options.urls.length === 0) throw new RangeError("an SGLang engine needs at least one URL");
  if (!(Number.isInteger(options.connections) && options.connections > 0)) {
    throw new RangeError("connections must be a positive integer");
  }
  if (!(options.timeoutSeconds >= 0)) throw new RangeError("timeoutSeconds must not be negative");
  return new SglangEngine(options);
}
