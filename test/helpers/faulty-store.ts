import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Transform } from "node:stream";

/**
 * How a store answers a request.
 *
 * - `pass`: passes it on.
 * - `refuse`: answers 503 `SlowDown`.
 * - `hang`: never answers.
 * - `mute`: passes it on, but never answers.
 * - `cut`: closes the connection in the middle of the body, or before the answer if there is no body.
 */
export type StoreFault = "pass" | "refuse" | "hang" | "mute" | "cut";

/** A request that arrived. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Bytes of its body so far. */
  bytes: number;
  readonly fault: StoreFault;
  /** True when the store has answered. */
  answered: boolean;
}

const SLOW_DOWN = `<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>`;
const CUT_AFTER = 1000;

/** An HTTP proxy before an S3 store that makes faults. Without a store, it can only make faults. */
export class FaultyStore {
  readonly requests: SeenRequest[] = [];
  /** Chooses what happens to a request. */
  choose: (seen: Pick<SeenRequest, "method" | "path">) => StoreFault = () => "pass";
  /** Bytes per second of each body on its way to the store. */
  bytesPerSecond = Number.POSITIVE_INFINITY;
  readonly #server: Server;
  readonly #store: number | undefined;

  private constructor(store: number | undefined) {
    this.#store = store;
    this.#server = createServer((incoming, answer) => this.#serve(incoming, answer));
  }

  /** @param store port of the store */
  static async start(store?: number): Promise<FaultyStore> {
    const proxy = new FaultyStore(store);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  #serve(incoming: IncomingMessage, answer: ServerResponse): void {
    const { method = "", url: path = "" } = incoming;
    const seen: SeenRequest = { method, path, bytes: 0, fault: this.choose({ method, path }), answered: false };
    this.requests.push(seen);
    incoming.on("error", () => undefined);
    if (seen.fault === "hang") return;
    if (seen.fault === "refuse") {
      incoming.resume().on("end", () => answer.writeHead(503, { "content-type": "application/xml" }).end(SLOW_DOWN));
      return;
    }
    if (seen.fault === "cut") {
      incoming.on("data", (chunk: Buffer) => {
        seen.bytes += chunk.length;
        if (seen.bytes > CUT_AFTER) incoming.socket.destroy();
      });
      incoming.on("end", () => incoming.socket.destroy());
      return;
    }
    const { headers } = incoming;
    const sent = request({ host: "127.0.0.1", port: this.#store, method, path, headers }, (reply) => {
      seen.answered = true;
      if (seen.fault === "mute") return void reply.resume();
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(answer);
    });
    sent.on("error", () => incoming.socket.destroy());
    incoming.on("close", () => incoming.complete || sent.destroy());
    incoming.pipe(this.#counting(seen)).pipe(sent);
  }

  #counting(seen: SeenRequest): Transform {
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        seen.bytes += chunk.length;
        if (Number.isFinite(this.bytesPerSecond))
          setTimeout(() => done(null, chunk), (chunk.length / this.bytesPerSecond) * 1000);
        else done(null, chunk);
      },
    });
  }
}
