import { describe, expect, it } from "vitest";
import type { ChaosOptions } from "./options.js";
import { findMissingCompiler } from "./power/power-loss.js";
import { runRolloutChaos } from "./rollout/run-rollout-chaos.js";
import { runChaos } from "./run-chaos.js";

/** A few kills. `npm run test:chaos` makes many. */

const options: ChaosOptions = {
  kills: 10,
  seed: 1,
  gateway: false,
  power: false,
  concurrency: 8,
  durability: "call",
  maxPauseSeconds: 1,
};
const TIMEOUT = 180_000;

it(
  "loses nothing that was answered, and records no retry twice, if the server is killed ten times",
  async () => {
    const tally = await runChaos(options);
    expect(tally.problems).toEqual([]);
    expect(tally.kills).toBeGreaterThanOrEqual(options.kills);
    // The run had answers, rewards and exports before and after kills, and calls that a kill cut.
    expect(tally.answered).toBeGreaterThan(50);
    expect(tally.outcomes.get("cut by a kill")).toBeGreaterThan(5);
    expect(tally.exported.rows).toBeGreaterThanOrEqual(tally.answered);
    expect(tally.exported.rewards).toBeGreaterThan(0);
    expect(tally.parts?.exports.repeats).toBeGreaterThan(0);
  },
  TIMEOUT,
);

it(
  "loses nothing that was answered if a gateway and its servers are killed",
  async () => {
    const tally = await runChaos({ ...options, kills: 3, gateway: true });
    expect(tally.problems).toEqual([]);
    expect(tally.exported.rows).toBeGreaterThanOrEqual(tally.answered);
  },
  TIMEOUT,
);

it(
  "has every task of a rollout job in one batch if its controller and workers are killed",
  async () => {
    const { problems, batches, kills } = await runRolloutChaos({ kills: 6, seed: 1, maxPauseSeconds: 3 });
    expect(problems).toEqual([]);
    expect(batches).toBeGreaterThan(1);
    expect(Object.values(kills).reduce((sum, count) => sum + count, 0)).toBe(6);
  },
  TIMEOUT,
);

describe.skipIf(findMissingCompiler())("a loss of power", () => {
  it(
    "loses nothing that was answered",
    async () => {
      const tally = await runChaos({ ...options, kills: 2, power: true });
      expect(tally.problems).toEqual([]);
      expect(tally.exported.rows).toBeGreaterThan(0);
    },
    TIMEOUT,
  );

  it(
    "loses answers of a server that does not wait for the disk, and this test notices it",
    async () => {
      const tally = await runChaos({ ...options, kills: 1, power: true, durability: "none" });
      expect(tally.lost).toBeGreaterThan(0);
    },
    TIMEOUT,
  );
});
