import type { GenerateCall } from "../../../src/engine/engine.js";
import type { ServerReply, ServerRequest } from "../../../src/engine/servers/engine-server.js";
import type { EngineServerOptions } from "../../../src/engine/servers/engine-server-options.js";
import { ServedEngine } from "../../../src/engine/servers/served-engine.js";
import { onAbort } from "../../../src/support/async/on-abort.js";
import { FakeServer } from "./fake-server.js";

interface HeldRequest {
  readonly session: string;
  readonly settle: (reply: ServerReply) => void;
  readonly reject: (error: unknown) => void;
  readonly call: GenerateCall;
}

/** A server whose requests run until a test ends them. */
export class HeldServer extends FakeServer {
  /** The sessions of all requests so far, in the order in which the requests arrived. */
  readonly arrived: string[] = [];
  readonly #running = new Set<HeldRequest>();
  /** The largest number of requests that ran at once. */
  mostRunning = 0;

  get running(): number {
    return this.#running.size;
  }

  override send(request?: ServerRequest): Promise<ServerReply> {
    if (!request) throw new Error("no request");
    const { call, signal } = request;
    this.arrived.push(call.affinityKey);
    return new Promise<ServerReply>((resolve, reject) => {
      const end = () => {
        listening[Symbol.dispose]();
        this.#running.delete(held);
      };
      const held: HeldRequest = {
        session: call.affinityKey,
        call,
        settle: (reply) => {
          end();
          resolve(reply);
        },
        reject: (error) => {
          end();
          reject(error);
        },
      };
      const listening = onAbort(signal, () => held.reject(signal.reason));
      this.#running.add(held);
      this.mostRunning = Math.max(this.mostRunning, this.#running.size);
    });
  }

  /** Ends the oldest running request with its last token. */
  finishOldest(): void {
    const oldest = this.#oldest();
    oldest.call.generation.append(Int32Array.of(7), Float32Array.of(-1), 0);
    oldest.settle({ tokens: 1, finish: { type: "length" } });
  }

  /** Cuts every running request, as a pause for a weight update does. */
  cutAll(): void {
    for (const { settle } of this.#running) settle({ tokens: 0, finish: { type: "abort" } });
  }

  /** Fails the oldest running request. */
  failOldest(error: Error): void {
    this.#oldest().reject(error);
  }

  #oldest(): HeldRequest {
    const [oldest] = this.#running;
    if (!oldest) throw new Error(`no request runs on ${this.url}`);
    return oldest;
  }
}

/** Returns an engine whose requests run until the test ends them. */
export function holdEngine(
  urls: readonly string[],
  options: Partial<EngineServerOptions> & { readonly maxInflight: number },
) {
  const servers = urls.map((url) => new HeldServer(url));
  const engine = new ServedEngine(
    {
      type: "held",
      supports: { grammar: true, stopsWithoutEos: true },
      effectiveTemperature: (temperature) => temperature,
    },
    { urls, timeoutSeconds: 0, healthSeconds: 0, ...options },
    (url) => servers.find((server) => server.url === url) ?? new HeldServer(url),
  );
  return { engine, servers };
}
