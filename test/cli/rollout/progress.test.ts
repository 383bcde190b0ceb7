import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RolloutProgress } from "../../../src/cli/rollout/progress.js";
import { RolloutTally } from "../../../src/cli/rollout/tally.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Starts the progress of two groups of four, and returns what it counts when it shows its next line. */
function start() {
  const tally = new RolloutTally();
  const state = { ended: 0, running: 2 };
  const lines: string[] = [];
  const screen = { isTerminal: false, status: "", line: (text: string) => void lines.push(text), endStatus: () => {} };
  const counts = { refresh: () => Promise.resolve(), tokensPerSecond: 0 };
  const [running, ended] = [() => state.running, () => state.ended];
  const progress = new RolloutProgress({ tally, counts, screen, tasks: 2, groupSize: 4, running, ended });
  const next = async () => {
    await vi.advanceTimersByTimeAsync(5000);
    return lines.at(-1)?.split(" ")[1];
  };
  return { tally, state, next, stop: () => progress.stop() };
}

it("counts episodes as they end, before their group has", async () => {
  const { tally, state, next, stop } = start();
  expect(await next()).toBe("0/8");
  state.ended = 3;
  expect(await next()).toBe("3/8");
  Object.assign(tally, { accepted: 4 });
  Object.assign(state, { ended: 5, running: 1 });
  expect(await next()).toBe("5/8");
  await stop();
});

it("counts no episode twice if attempts are lost, or sessions of others end", async () => {
  const { tally, state, next, stop } = start();
  state.ended = 100;
  expect(await next()).toBe("6/8");
  Object.assign(tally, { accepted: 4 });
  Object.assign(state, { ended: 102, running: 1 });
  expect(await next()).toBe("7/8");
  Object.assign(tally, { accepted: 8 });
  Object.assign(state, { ended: 103, running: 0 });
  expect(await next()).toBe("8/8");
  await stop();
});

it("counts the episodes of an earlier process of the job once", async () => {
  const { tally, state, next, stop } = start();
  Object.assign(tally, { accepted: 4 });
  state.running = 1;
  expect(await next()).toBe("4/8");
  state.ended = 2;
  expect(await next()).toBe("6/8");
  await stop();
});
