import { Pool } from "undici";
import { Random } from "../helpers/random.js";
import { Agent } from "./agents/agent.js";
import type { Attempt } from "./agents/attempt.js";
import { Trainer } from "./agents/trainer.js";
import { WeightUpdates } from "./agents/weights.js";
import type { BatchEvidence } from "./check/check-batch.js";
import type { FaultyEngine } from "./engine/faulty-engine.js";
import { Exports } from "./exports.js";
import type { SoakOptions } from "./options.js";

export interface SoakTarget {
  /** A proxy or a gateway. */
  readonly url: string;
  readonly adminKey: string;
}

export interface SoakListeners {
  readonly onAttempt: (attempt: Attempt) => void;
  readonly onSession: () => void;
  readonly onBatch: (evidence: BatchEvidence) => void;
}

/** What the trainer did. */
export interface SoakUpdates {
  readonly versions: number;
  readonly pauses: number;
}

/** Runs agents, weight updates and exports until all calls are made or the time is over. */
export async function soak(
  { url, adminKey }: SoakTarget,
  engine: FaultyEngine,
  options: SoakOptions,
  listeners: SoakListeners,
): Promise<SoakUpdates> {
  const pool = new Pool(url, { headersTimeout: 0, bodyTimeout: 0 });
  const trainer = new Trainer(pool, adminKey);
  const updates = new WeightUpdates(trainer, engine, new Random(options.seed, 1));
  const exports = new Exports(trainer, new Random(options.seed, 2), listeners.onBatch);
  const shares = shareCalls(options);
  const until = performance.now() + options.duration * 1000;
  let calls = 0;
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < shares.length && performance.now() < until; index = next++) {
      const { id: session, key } = await trainer.startSession();
      const attempts: Attempt[] = [];
      const agent = new Agent({
        pool,
        session,
        key,
        random: new Random(options.seed, 3, index),
        calls: shares[index] ?? 0,
        nextCall: () => ++calls,
        onAttempt: (attempt) => {
          attempts.push(attempt);
          listeners.onAttempt(attempt);
        },
      });
      const last = await agent.run();
      if (last !== undefined) await trainer.order("/rl/set_reward", { reward: 1, interaction_id: last }, key);
      await trainer.order("/rl/end_session", {}, key);
      exports.add(session, attempts);
      listeners.onSession();
    }
  };
  try {
    await Promise.all(Array.from({ length: options.concurrency }, work));
  } finally {
    await updates.stop();
    await exports.finish();
    await pool.close();
  }
  return { versions: updates.versions, pauses: updates.pauses };
}

/** Splits the calls among the sessions: short sessions and long ones, at least one call each. */
function shareCalls({ calls, sessions, seed }: SoakOptions): number[] {
  const random = new Random(seed, 4);
  let left = calls;
  return Array.from({ length: sessions }, (_, index) => {
    const others = sessions - index - 1;
    const average = left / (others + 1);
    const share = others === 0 ? left : Math.round(average * (0.25 + 1.5 * random.next()));
    const bounded = Math.max(1, Math.min(share, left - others));
    left -= bounded;
    return bounded;
  });
}
