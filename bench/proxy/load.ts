import { median } from "../text.js";
import { assistant, body } from "./bodies.js";
import { chat, type Rig, type Target } from "./rig.js";
import { turnBodies } from "./turn-bodies.js";

export interface Load {
  readonly perSecond: number;
  readonly p50: number;
  /** Processor time of the server per call, in milliseconds. Other load of the machine hardly affects it. */
  readonly cpu: number;
}

interface Pace {
  readonly concurrency: number;
  readonly seconds: number;
}

/** The next turns of a session: each body has the recorded history and a new short message. */
export interface Turns {
  readonly key: string;
  /** Returns the next body, which is valid until the one after it is made. */
  readonly next: () => Buffer;
}

/** Starts a session and records its history. Returns its key, and a function that makes the bodies of its next turns. */
export async function startTurns(rig: Rig, messages: readonly object[]): Promise<Turns> {
  const key = await rig.session();
  const { choices } = JSON.parse(await chat(rig.proxy, key, body(messages))) as {
    choices: [{ message: { content: string } }];
  };
  const answer = choices[0].message.content;
  // With another vocabulary, the engine's ids could stand for other characters, and every body of the session would cost more.
  if (!/^[\n -~]*$/.test(answer))
    throw new Error(`The engine's answer must be ASCII text; received ${JSON.stringify(answer)}.`);
  return { key, next: turnBodies([...messages, assistant(answer)]) };
}

/** Sends calls for some seconds, with this concurrency. */
export async function load(
  server: Target,
  { concurrency, seconds }: Pace,
  call: (worker: number) => Promise<unknown>,
): Promise<Load> {
  const times: number[] = [];
  const cpuBefore = server.cpuSeconds();
  const began = performance.now();
  const until = began + seconds * 1000;
  const work = async (worker: number) => {
    while (performance.now() < until) {
      const started = performance.now();
      await call(worker);
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, (_, worker) => work(worker)));
  const perSecond = times.length / ((performance.now() - began) / 1000);
  return { perSecond, p50: median(times), cpu: ((server.cpuSeconds() - cpuBefore) * 1000) / times.length };
}
