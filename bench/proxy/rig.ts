import { assistant, body, turnBodies } from "../kit/bodies.js";
import { chat, startSession, type Target, toTarget } from "../kit/load.js";
import type { Child } from "../kit/processes.js";
import { type ProxyOptions, startProxy, startScript } from "../kit/servers.js";

/** An engine and a proxy that only forwards bytes to it. They are the same for every measurement, so several rigs can share them. */
export class Reference {
  private constructor(
    readonly engine: Child,
    readonly passThrough: Child,
  ) {}

  static async start(): Promise<Reference> {
    const engine = await startScript(new URL("wire-engine-process.ts", import.meta.url));
    return new Reference(engine, await startScript(new URL("pass-through-process.ts", import.meta.url), engine.url));
  }

  async stop(): Promise<void> {
    await this.passThrough.stop();
    await this.engine.stop();
  }
}

interface RigOptions extends Pick<ProxyOptions, "args"> {
  /** Base path of the engine's API. With `/slow`, the engine waits before it answers. */
  readonly enginePath?: string;
  /** A reference that the rig does not stop, because others use it. Default: one that the rig starts and stops. */
  readonly reference?: Reference;
}

/** An engine, the proxy and a proxy that only forwards bytes, each in a separate process. This process sends the calls. */
export class Rig {
  readonly proxy: Target;
  readonly passThrough: Target;
  /** What the rig stops when it is closed, in this order. */
  readonly #owned: readonly { stop(): Promise<void> }[];

  private constructor(proxy: Target, passThrough: Target, owned: readonly { stop(): Promise<void> }[]) {
    this.proxy = proxy;
    this.passThrough = passThrough;
    this.#owned = owned;
  }

  static async start(
    connections: number,
    { enginePath = "", reference: shared, ...options }: RigOptions = {},
  ): Promise<Rig> {
    const reference = shared ?? (await Reference.start());
    const { engine, passThrough } = reference;
    const proxy = await startProxy({ engineUrl: engine.url + enginePath, connections, ...options });
    const owned = shared ? [proxy] : [proxy, reference];
    return new Rig(toTarget(proxy, connections), toTarget(passThrough, connections), owned);
  }

  /** Starts a session and returns its key. */
  session(): Promise<string> {
    return startSession(this.proxy);
  }

  /** Returns a metric of the proxy, in the metric's unit. */
  async metric(name: string): Promise<number> {
    const { body } = await this.proxy.pool.request({ path: "/metrics", method: "GET" });
    const line = (await body.text()).split("\n").find((each) => each.startsWith(`${name} `));
    return Number(line?.slice(name.length + 1));
  }

  async close(): Promise<void> {
    await Promise.all([this.proxy.pool.destroy(), this.passThrough.pool.destroy()]);
    for (const each of this.#owned) await each.stop();
  }
}

/** The next turns of a session: each body has the recorded history and a new short message. */
export interface Turns {
  readonly key: string;
  /** Returns the next body, which is valid until the one after it is made. */
  readonly next: () => Buffer;
}

/** Starts a session and records its history. Returns its key, and a function that makes the bodies of its next turns. */
export async function startTurns(proxy: Target, messages: readonly object[]): Promise<Turns> {
  const key = await startSession(proxy);
  const { choices } = JSON.parse(await chat(proxy, key, body(messages))) as {
    choices: [{ message: { content: string } }];
  };
  const answer = choices[0].message.content;
  // With another vocabulary, the engine's ids could stand for other characters, and every body of the session would cost more.
  if (!/^[\n -~]*$/.test(answer))
    throw new Error(`The engine's answer must be ASCII text; received ${JSON.stringify(answer)}.`);
  return { key, next: turnBodies([...messages, assistant(answer)]) };
}

/** Makes so many calls: each conversation sends its next turn as soon as the one before it is answered. */
export async function callTurns(server: Target, conversations: readonly Turns[], calls: number): Promise<void> {
  let left = calls;
  const converse = async ({ key, next }: Turns) => {
    while (left-- > 0) await chat(server, key, next());
  };
  await Promise.all(conversations.map(converse));
}
