import { assistant, body, history, SIZES, user } from "../kit/bodies.js";
import { chat, type Load, load, type Pace, startSession, type Target, toTarget } from "../kit/load.js";
import type { Child } from "../kit/processes.js";
import { startProxy, startScript } from "../kit/servers.js";

/** The server with storage, and the one without. */
export type Side = "stored" | "memory";
export const SIDES: readonly Side[] = ["stored", "memory"];

/** Two servers that differ in their storage only, with sessions whose next turns are small calls. Measure them in turns. */
export class ServerPair {
  readonly #children: readonly Child[];
  readonly #targets: Readonly<Record<Side, Target>>;
  readonly #turns: Readonly<Record<Side, readonly Turns[]>>;

  private constructor(
    children: readonly Child[],
    targets: Readonly<Record<Side, Target>>,
    turns: Readonly<Record<Side, readonly Turns[]>>,
  ) {
    this.#children = children;
    this.#targets = targets;
    this.#turns = turns;
  }

  /** @param sessions of each server */
  static async start(directory: string, { connections, sessions }: { connections: number; sessions: number }) {
    const engine = await startScript(new URL("../proxy/wire-engine-process.ts", import.meta.url));
    const start = (args: readonly string[]) => startProxy({ engineUrl: engine.url, connections, args });
    const [stored, memory] = [await start([`storage.directory=${directory}`]), await start([])];
    const targets = { stored: toTarget(stored, connections), memory: toTarget(memory, connections) };
    const prepareAll = (target: Target) =>
      Promise.all(Array.from({ length: sessions }, (_, seed) => prepare(target, seed)));
    const turns = { stored: await prepareAll(targets.stored), memory: await prepareAll(targets.memory) };
    return new ServerPair([stored, memory, engine], targets, turns);
  }

  /** Sends the next turn of a session and reads the whole answer. */
  async call(side: Side, session: number): Promise<void> {
    const turns = this.#turns[side][session % this.#turns[side].length];
    if (!turns) throw new Error("the pair has no sessions");
    await chat(this.#targets[side], turns.key, turns.next());
  }

  /** Keeps calls open for a while: each that ends is followed by the next. */
  keepOpen(side: Side, pace: Pace): Promise<Load> {
    return load(this.#targets[side], pace, (session) => this.call(side, session));
  }

  async close(): Promise<void> {
    await Promise.all(SIDES.map((side) => this.#targets[side].pool.destroy()));
    for (const child of this.#children) await child.stop();
  }
}

interface Turns {
  readonly key: string;
  /** Returns the body of the next turn. */
  next(): string;
}

/** Records the first turn of a session. Each next turn is that history and a new short message. */
async function prepare(target: Target, seed: number): Promise<Turns> {
  const key = await startSession(target);
  const messages = history(SIZES.small, seed);
  const { choices } = JSON.parse(await chat(target, key, body(messages))) as {
    choices: [{ message: { content: string } }];
  };
  const text = body([...messages, assistant(choices[0].message.content), user("@NEXT@")]);
  const [head = "", tail = ""] = text.split("@NEXT@");
  let turn = 0;
  return { key, next: () => `${head}and number ${turn++}?${tail}` };
}
