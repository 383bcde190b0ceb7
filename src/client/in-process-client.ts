import type { Server } from "node:http";
import type { Socket } from "node:net";
import { type Duplex, duplexPair } from "node:stream";
import { type ClientOptions, OpenAI } from "openai";
import type { buildConnector } from "undici";
import { AdminClient } from "./admin-client.js";
import { ConnectionPool } from "./connection-pool.js";
import { type EngineOptions, type InProcessProxy, inProcessProxy } from "./in-process-proxy.js";
import type { ExportStyle } from "./interaction.js";
import type { Interactions } from "./interactions.js";
import { type ExportInteractionsOptions, SessionClient } from "./session-client.js";
import { HttpTransport } from "./transport.js";

export type { EngineOptions, InProcessProxy } from "./in-process-proxy.js";

interface SessionOptions {
  readonly taskId?: string | undefined;
  readonly groupId?: string | undefined;
}

/** An engine and its tokenizer, or a proxy that `createServer` made of them. */
export type InProcessOptions = SessionOptions & (EngineOptions | InProcessProxy);

/** The host has no meaning: all connections lead to the same server. */
const URL_IN_PROCESS = "http://in-process";

interface InProcessClientOptions extends ClientOptions {
  readonly session: SessionClient;
  readonly trainer: AdminClient;
}

/**
 * OpenAI's client bound to a session of its own, for old code that expects such a client. It reaches the proxy in this
 * process without a socket. `chat.completions.create`, `responses.create` and everything else is OpenAI's.
 *
 * Use {@link SessionClient} and an agent's `run` for new code.
 */
export class InProcessClient extends OpenAI implements AsyncDisposable {
  readonly session: SessionClient;
  /** The trainer's calls to the proxy in this process, such as `updateWeights`. */
  readonly trainer: AdminClient;
  #turnDiscount = 0;

  constructor(options: InProcessClientOptions) {
    super(options);
    this.session = options.session;
    this.trainer = options.trainer;
  }

  /** Creates a client with a session of its own. */
  static async open({ taskId, groupId, ...options }: InProcessOptions): Promise<InProcessClient> {
    const { app, adminKey } = "engine" in options ? await inProcessProxy(options) : options;
    const connections = new ConnectionPool(inProcessConnector(app.server));
    const admin = new AdminClient(new HttpTransport(URL_IN_PROCESS, connections), adminKey);
    await admin.grantCapacity();
    const session = await SessionClient.start(admin, { taskId, groupId });
    return new InProcessClient({
      session,
      trainer: admin,
      apiKey: session.sessionApiKey,
      baseURL: `${URL_IN_PROCESS}/v1`,
      fetch: connections.fetch,
      maxRetries: 0,
    });
  }

  setReward(interactionId: string, reward: number): Promise<void> {
    return this.session.setReward(interactionId, reward);
  }

  /** Rewards the last completed call and returns its interaction id. */
  setLastReward(reward: number): Promise<string> {
    return this.session.setLastReward(reward);
  }

  /** Rewards the session as a whole, in addition to the rewards of its calls. */
  setSessionReward(reward: number): Promise<void> {
    return this.session.setSessionReward(reward);
  }

  /**
   * Sets the discount of later exports, which propagate rewards backwards through the conversation tree. Own rewards do not
   * change, so a later call can set another discount. Without a call, interactions are exported with their own rewards.
   *
   * @param turnDiscount share of a turn's reward that its parent turn receives, in [0, 1]
   */
  applyRewardDiscount(turnDiscount = 1): void {
    if (!(turnDiscount >= 0 && turnDiscount <= 1)) {
      throw new RangeError(`turnDiscount must be a number from 0 to 1; received ${turnDiscount}`);
    }
    this.#turnDiscount = turnDiscount;
  }

  /** Ends the session and returns what it recorded. The session accepts no calls or rewards afterwards. */
  async exportInteractions(
    style: ExportStyle = "individual",
    options: ExportInteractionsOptions = {},
  ): Promise<Interactions> {
    await this[Symbol.asyncDispose]();
    return this.session.exportInteractions(this.#turnDiscount, style, options);
  }

  /** Ends the session; it can still be exported. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.session[Symbol.asyncDispose]();
  }
}

/**
 * Returns a connector to an HTTP server in this process. A connection is a pair of streams in memory, so the server need not
 * listen.
 */
export function inProcessConnector(server: Server): buildConnector.connector {
  return (_options, callback) => {
    const [near, far] = duplexPair();
    closeTogether(near, far);
    closeTogether(far, near);
    server.emit("connection", far);
    // Sockets never connect synchronously, and the client is not ready for it.
    queueMicrotask(() => callback(null, asSocket(near)));
  };
}

/** Closes one end when the other closes, as sockets do. */
function closeTogether(one: Duplex, other: Duplex): void {
  one.once("close", () => other.destroy());
  // The owner of this end handles the error. Without a listener it would end the process.
  one.on("error", () => {});
}

/** Adds the socket methods that an HTTP client calls. They do nothing: a stream in memory never keeps the process alive. */
function asSocket(stream: Duplex): Socket {
  const itself = () => stream;
  return Object.assign(stream, { ref: itself, unref: itself, setKeepAlive: itself, setNoDelay: itself }) as Socket;
}
