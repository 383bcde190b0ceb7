import { describe, expect, it } from "vitest";
import {
  StepError,
  type StepFailure,
  type StepFailures,
  type TargetServer,
  type UpdateTarget,
  type WeightTargets,
} from "../../src/admin-api/weights/weight-targets.js";
import { WeightUpdates } from "../../src/admin-api/weights/weight-updates.js";

/** Weight updates whose servers sleep meanwhile, and updates that need a preparation. */

const SLEPT: UpdateTarget = { version: 7, mode: "external", path: null, sleep: true };
const SEVEN: UpdateTarget = { version: 7, mode: "path", path: "/w" };
const NONE: StepFailures = new Map();

/** Two servers that lose their weights when they sleep. Notes the steps, and fails those for which a test has a failure. */
class SleepyServers implements WeightTargets {
  version = 0;
  readonly steps: string[] = [];
  readonly failures = new Map<string, StepFailure>();
  readonly draining = new Set<string>();
  keepsWeights = false;
  pauseFailures: StepFailures = NONE;
  readonly weights = new Map<string, TargetServer>();

  servers = async (): Promise<TargetServer[]> =>
    ["a", "b"].map((url) => {
      const draining = this.draining.has(url);
      return { version: 0, path: null, ...this.weights.get(url), url, draining };
    });
  spell = (exclude: readonly string[]) => [...exclude];
  isPaused = () => Promise.resolve(false);
  begin = () => Promise.resolve();
  prepare?: (target: UpdateTarget, excluded: readonly string[]) => Promise<void>;
  pause = async () => this.pauseFailures;
  sleep = async (url: string) => {
    this.#take(`sleep ${url}`);
    return this.keepsWeights;
  };
  wake = async (url: string) => this.#take(`wake ${url}`);
  load = async (url: string, { path }: UpdateTarget) => this.#take(`load ${url} ${path}`);
  finish = async (url: string, version: number) => this.#take(`finish ${url} ${version}`);
  commit = async (version: number) => void (this.version = version);
  resume = async () => NONE;
  drain = async (urls: readonly string[]) => {
    for (const url of urls) this.steps.push(`drain ${url}`);
  };
  release = () => Promise.resolve();
  note = (server: TargetServer) => void this.weights.set(server.url, server);

  #take(step: string): void {
    this.steps.push(step);
    const failure = this.failures.get(step);
    if (failure) throw new StepError(failure);
  }
}

function setUp() {
  const targets = new SleepyServers();
  const updates = new WeightUpdates(targets, { began: () => undefined, ended: () => undefined });
  const settle = () => updates.settle(60, new AbortController().signal);
  const start = async (target: UpdateTarget) => {
    await updates.start(target, []);
    await settle();
    return updates.record();
  };
  const finish = async (path?: string) => {
    await updates.finish(7, [], { path });
    await settle();
    return updates.record();
  };
  const takeSteps = () => targets.steps.splice(0);
  return { targets, updates, start, finish, takeSteps };
}

const failure = (changes: Partial<StepFailure> = {}): StepFailure => {
  return { message: "no", unchanged: false, unreachable: false, ...changes };
};

describe("servers that sleep during an update", () => {
  it("lose their weights, and wake up with those with which the update is finished", async () => {
    const { updates, start, finish, takeSteps } = setUp();
    expect(await start(SLEPT)).toMatchObject({ state: "external", servers: [{ version: null }, { version: null }] });
    expect(takeSteps()).toEqual(["sleep a", "sleep b"]);
    await expect(updates.finish(7, [])).rejects.toMatchObject({
      code: "invalid_value",
      param: "path",
      message: expect.stringContaining("need weights to wake up with") as string,
    });
    expect(await finish("/new")).toMatchObject({ state: "idle", version: 7 });
    expect(takeSteps().toSorted()).toEqual([
      "finish a 7",
      "finish b 7",
      "load a /new",
      "load b /new",
      "wake a",
      "wake b",
    ]);
  });

  it("keep their weights if the engine does, and are woken and go on if the update is given up", async () => {
    const { targets, updates, start, takeSteps } = setUp();
    targets.keepsWeights = true;
    expect(await start(SLEPT)).toMatchObject({ servers: [{ version: 0 }, { version: 0 }] });
    takeSteps();
    await updates.giveUp();
    expect(takeSteps()).toEqual(["wake a", "wake b"]);
    expect(await updates.record()).toMatchObject({ state: "idle", version: 0 });
  });

  it("that a given-up update left asleep are woken before they load again", async () => {
    const { updates, start, takeSteps } = setUp();
    await start(SLEPT);
    await updates.giveUp();
    expect(takeSteps()).toEqual(["sleep a", "sleep b", "drain a", "drain b"]);
    expect(await start(SEVEN)).toMatchObject({ state: "idle", version: 7 });
    expect(takeSteps().filter((step) => step.endsWith("a") || step.includes("a /w"))).toEqual(["wake a", "load a /w"]);
  });

  it("make the update fail if one cannot be put to sleep, and only those that sleep are woken", async () => {
    const { targets, start, takeSteps } = setUp();
    targets.failures.set("sleep b", failure({ unchanged: true }));
    expect(await start(SLEPT)).toMatchObject({
      state: "failed",
      error: "1 server of 2 could not be put to sleep. First: b: no",
      servers: [
        { version: null, state: "pending" },
        { version: 0, state: "failed" },
      ],
    });
    takeSteps();
    expect(await start(SEVEN)).toMatchObject({ state: "idle", version: 7 });
    expect(takeSteps().filter((step) => step.startsWith("wake"))).toEqual(["wake a"]);
  });

  it("that ended are not woken again, and those that could not be woken are", async () => {
    const { targets, start, finish, takeSteps } = setUp();
    await start(SLEPT);
    targets.failures.set("wake a", failure({ unreachable: true }));
    targets.failures.set("wake b", failure());
    takeSteps();
    expect(await finish("/new")).toMatchObject({ state: "failed" });
    expect(takeSteps()).toEqual(["wake a", "wake b"]);
    targets.failures.clear();
    expect(await finish("/new")).toMatchObject({ state: "idle" });
    expect(takeSteps().filter((step) => step.startsWith("wake"))).toEqual(["wake b"]);
  });

  it("may sleep after a restart that interrupted the update", async () => {
    const { targets, updates, finish, takeSteps } = setUp();
    updates.interrupt({ target: SLEPT, error: "restarted" }, await targets.servers());
    expect(await finish("/new")).toMatchObject({ state: "idle", version: 7 });
    expect(takeSteps()).toContain("wake b");
  });

  it("is not what a finish with a path is for, if the update is without sleep", async () => {
    const { updates, start } = setUp();
    const { sleep: _, ...pushed } = SLEPT;
    await start(pushed);
    await expect(updates.finish(7, [], { path: "/new" })).rejects.toMatchObject({
      param: "path",
      message: expect.stringContaining("`path` must be absent") as string,
    });
  });
});

describe("an update", () => {
  it("is prepared before the pause, and over if that fails", async () => {
    const { targets, updates, start } = setUp();
    const prepared: unknown[] = [];
    targets.prepare = async (target, excluded) => {
      prepared.push([target, excluded, (await updates.record()).state]);
      throw new Error("no adapter");
    };
    const lora: UpdateTarget = { version: 7, mode: "lora", name: "l", path: "/l" };
    expect(await start(lora)).toMatchObject({ state: "idle", version: 0, error: "no adapter" });
    expect(prepared).toEqual([[lora, [], "loading"]]);
    expect(updates.describeHold()).toBeUndefined();
    targets.prepare = async () => undefined;
    expect(await start(lora)).toMatchObject({ state: "idle", version: 7, error: null });
  });

  it("that another gateway may run is not replaced by another one, but can be repeated or given up", async () => {
    const { targets, updates, start } = setUp();
    updates.interrupt({ target: SEVEN, error: "restarted", mayRun: true }, await targets.servers());
    await expect(updates.start({ ...SEVEN, version: 8 }, [])).rejects.toMatchObject({
      code: "weights_busy",
      message: expect.stringContaining("Repeat it or give it up first") as string,
    });
    expect(() => updates.requireNone()).toThrow("is in progress (failed)");
    expect(await start(SEVEN)).toMatchObject({ state: "idle", version: 7 });
    updates.requireNone();
  });

  it("leaves out a server that was drained and cannot be reached", async () => {
    const { targets, start } = setUp();
    targets.draining.add("b");
    targets.pauseFailures = new Map([["b", failure({ unreachable: true, message: "down" })]]);
    expect(await start(SEVEN)).toMatchObject({
      state: "idle",
      version: 7,
      servers: [{ state: "loaded" }, { url: "b", state: "excluded" }],
    });
    expect(targets.weights.get("b")).toMatchObject({ version: null, draining: true });
  });

  it("holds calls until it ends, and says how", async () => {
    const { targets, updates, start } = setUp();
    expect(updates.describeHold()).toBeUndefined();
    const { sleep: _, ...pushed } = SLEPT;
    await start(pushed);
    expect(updates.describeHold()).toMatch(/version 7 \(external\) .*`POST \/rl\/weights\/finish`/);
    expect(() => updates.requireNone()).toThrow("Finish it or give it up first.");
    targets.failures.set("finish a 7", failure());
    await updates.finish(7, []);
    await updates.settle(60, new AbortController().signal);
    expect(updates.describeHold()).toMatch(/\(failed\) .*Repeat it, exclude a server or give up\./);
  });

  it("is settled if none runs, and not if it runs longer than the wait or the signal aborts", async () => {
    const { targets, updates } = setUp();
    const { signal } = new AbortController();
    expect(await updates.settle(0, signal)).toBe(true);
    let loaded: () => void = () => undefined;
    targets.load = () => new Promise((resolve) => (loaded = resolve));
    await updates.start(SEVEN, ["b"]);
    expect(await updates.settle(0, signal)).toBe(false);
    expect(await updates.settle(60, AbortSignal.abort())).toBe(false);
    await expect.poll(async () => (await updates.record()).state).toBe("loading");
    const settled = updates.settle(60, signal);
    loaded();
    expect(await settled).toBe(true);
  });
});
