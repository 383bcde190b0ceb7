import { describe, expect, it } from "vitest";
import {
  StepError,
  type StepFailures,
  type TargetServer,
  type UpdateTarget,
  type WeightTargets,
} from "../../src/admin-api/weights/weight-targets.js";
import { WeightUpdates } from "../../src/admin-api/weights/weight-updates.js";
import { createDeferred } from "../../src/support/async/deferred.js";

const SEVEN: UpdateTarget = { version: 7, mode: "path", path: "/w" };
const PUSHED: UpdateTarget = { version: 7, mode: "external", path: null };
const NONE: StepFailures = new Map();

/** Two servers of version 0 whose pauses and lists a test can hold, and whose loads never end unless they are given up. */
class HeldTargets implements WeightTargets {
  version = 0;
  readonly loads: string[] = [];
  readonly drained: string[] = [];
  readonly paused = createDeferred<StepFailures>();
  readonly listed = createDeferred<void>();

  async servers(): Promise<TargetServer[]> {
    await this.listed.promise;
    return ["a", "b"].map((url) => ({ url, version: this.version, path: null, draining: false }));
  }
  spell = (exclude: readonly string[]) => [...exclude];
  isPaused = () => Promise.resolve(false);
  begin = () => Promise.resolve();
  pause = () => this.paused.promise;
  load(url: string, _: UpdateTarget, signal: AbortSignal): Promise<void> {
    this.loads.push(url);
    const { promise, reject } = createDeferred<void>();
    const giveUp = () => reject(new StepError({ message: "given up", unchanged: false, unreachable: false }));
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp);
    return promise;
  }
  finish = () => Promise.resolve();
  commit(version: number): Promise<void> {
    this.version = version;
    return Promise.resolve();
  }
  resume = () => Promise.resolve(NONE);
  drain(urls: readonly string[]): Promise<void> {
    this.drained.push(...urls);
    return Promise.resolve();
  }
  release = () => Promise.resolve();
  note = () => undefined;
}

function held() {
  const targets = new HeldTargets();
  return { targets, updates: new WeightUpdates(targets, { began: () => undefined, ended: () => undefined }) };
}

const stateOf = async (updates: WeightUpdates) => {
  const { state, version, servers } = await updates.record();
  return [state, version, servers.map((server) => server.version)];
};

describe("giving up a weight update", () => {
  it("keeps it from loading if the servers are being paused", async () => {
    const { targets, updates } = held();
    targets.listed.resolve();
    await updates.start(SEVEN, []);
    const givenUp = updates.giveUp();
    targets.paused.resolve(NONE);
    await givenUp;
    expect(targets.loads).toEqual([]);
    expect(await stateOf(updates)).toEqual(["idle", 0, [0, 0]]);
  });

  it("keeps it from loading if it has just begun", async () => {
    const { targets, updates } = held();
    targets.paused.resolve(NONE);
    const started = updates.start(SEVEN, []);
    const givenUp = updates.giveUp();
    targets.listed.resolve();
    await started;
    await givenUp;
    expect(await stateOf(updates)).toEqual(["idle", 0, [0, 0]]);
  });

  it("does not keep the next one from loading", async () => {
    const { targets, updates } = held();
    targets.listed.resolve();
    await updates.start(PUSHED, []);
    const givenUp = updates.giveUp();
    targets.paused.resolve(NONE);
    await givenUp;
    await updates.start(SEVEN, []);
    await expect.poll(() => targets.loads).toEqual(["a", "b"]);
    // No server has weights of a known version.
    await updates.giveUp();
    expect([(await updates.record()).state, targets.drained]).toEqual(["idle", ["a", "b"]]);
  });
});

it("the record of a server that was never updated says so", async () => {
  const { targets, updates } = held();
  targets.listed.resolve();
  const nothing = { target_version: null, mode: null, path: null, started_at: null, paused_seconds: null };
  const server = { version: 0, state: "loaded", seconds: null, error: null };
  expect(await updates.record()).toEqual({
    ...nothing,
    state: "idle",
    version: 0,
    checked: null,
    not_checked: null,
    error: null,
    servers: ["a", "b"].map((url) => ({ url, ...server })),
  });
});

describe("finishing an external weight update", () => {
  it("is refused if not every server could be paused, because the trainer was told to push nothing", async () => {
    const { targets, updates } = held();
    targets.listed.resolve();
    targets.paused.resolve(new Map([["b", { message: "down", unchanged: true, unreachable: true }]]));
    await updates.start(PUSHED, []);
    await expect.poll(async () => (await updates.record()).state).toBe("failed");
    await expect(updates.finish(7, ["b"])).rejects.toMatchObject({
      code: "no_weight_update",
      message: expect.stringMatching(/Not every server was paused: begin it again/) as string,
    });
    expect(await stateOf(updates)).toEqual(["failed", 0, [0, null]]);
  });

  it("goes on with an update from before a restart, whose trainer may have pushed", async () => {
    const { targets, updates } = held();
    targets.listed.resolve();
    updates.interrupt({ target: PUSHED, error: "restarted" }, await targets.servers());
    await updates.finish(7, []);
    await updates.settle(60, new AbortController().signal);
    expect(await stateOf(updates)).toEqual(["idle", 7, [7, 7]]);
  });
});
