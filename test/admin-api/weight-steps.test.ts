import { describe, expect, it } from "vitest";
import { answerUpdate } from "../../src/admin-api/weights/answer-update.js";
import {
  StepError,
  type StepFailure,
  type StepFailures,
  type TargetServer,
  tryEach,
  type UpdateTarget,
  type WeightsCheck,
  type WeightTargets,
} from "../../src/admin-api/weights/weight-targets.js";
import { PauseClock } from "../../src/admin-api/weights/weight-update.js";
import { WeightUpdates } from "../../src/admin-api/weights/weight-updates.js";

/** The steps that weight updates take on their servers, and what their records say. */

const SEVEN: UpdateTarget = { version: 7, mode: "path", path: "/w" };
const PUSHED: UpdateTarget = { version: 7, mode: "external", path: null };

const failure = (message: string, changes: Partial<StepFailure> = {}): StepFailure => {
  return { message, unchanged: true, unreachable: false, ...changes };
};

/** Two servers that take every step at once, except those for which a test has a failure. Notes the steps. */
class Servers implements WeightTargets {
  version = 0;
  wasPaused = false;
  readonly steps: string[] = [];
  /** By step and server: `load a`. */
  readonly failures = new Map<string, StepFailure>();
  check?: (target: UpdateTarget) => void;
  compare?: (target: UpdateTarget) => Promise<WeightsCheck | undefined>;
  readonly #weights = new Map<string, Pick<TargetServer, "version" | "path">>();

  async servers(): Promise<TargetServer[]> {
    return ["a", "b"].map((url) => {
      return { url, draining: false, ...(this.#weights.get(url) ?? { version: 0, path: null }) };
    });
  }
  spell = (exclude: readonly string[]) => [...exclude];
  isPaused = () => Promise.resolve(this.wasPaused);
  begin = async () => this.#step("begin");
  pause = async (urls: readonly string[]) => this.#each("pause", urls);
  load = async (url: string) => this.#one("load", url);
  finish = async (url: string) => this.#one("finish", url);
  async commit(version: number): Promise<void> {
    this.#step(`commit ${version}`);
    this.version = version;
  }
  resume = async (urls: readonly string[]) => this.#each("resume", urls);
  drain = async (urls: readonly string[]) => urls.forEach((url) => this.#step(`drain ${url}`));
  release = async (_: readonly TargetServer[], hold: boolean) => this.#step(hold ? "release held" : "release");
  note = ({ url, version, path }: TargetServer) => void this.#weights.set(url, { version, path });

  #step(name: string): void {
    this.steps.push(name);
  }

  #each(step: string, urls: readonly string[]): StepFailures {
    for (const url of urls) this.#step(`${step} ${url}`);
    const failed = urls.flatMap((url) => {
      const found = this.failures.get(`${step} ${url}`);
      return found ? [[url, found] as const] : [];
    });
    return new Map(failed);
  }

  #one(step: string, url: string): void {
    this.#step(`${step} ${url}`);
    const found = this.failures.get(`${step} ${url}`);
    if (found) throw new StepError(found);
  }
}

function setUp() {
  const targets = new Servers();
  const outcomes: string[] = [];
  const updates = new WeightUpdates(targets, {
    began: ({ state }) => void outcomes.push(`began ${state}`),
    ended: (outcome) => void outcomes.push(outcome),
  });
  const settle = () => updates.settle(60, new AbortController().signal);
  const update = async (target: UpdateTarget, exclude: readonly string[] = [], options: object = {}) => {
    await updates.start(target, exclude, options);
    expect(await settle()).toBe(true);
    return updates.record();
  };
  return { targets, updates, outcomes, settle, update };
}

describe("a weight update from a path", () => {
  it("pauses, loads, sets the version and resumes", async () => {
    const { targets, updates, outcomes, update } = setUp();
    expect(updates.started).toBe(0);
    expect(await update(SEVEN)).toMatchObject({
      state: "idle",
      version: 7,
      target_version: null,
      mode: null,
      path: null,
      started_at: expect.any(Number),
      paused_seconds: expect.any(Number),
      error: null,
      servers: ["a", "b"].map((url) => ({
        url,
        version: 7,
        state: "loaded",
        seconds: expect.any(Number),
        error: null,
      })),
    });
    expect(targets.steps.join(", ")).toBe(
      "begin, pause a, pause b, load a, load b, finish a, finish b, commit 7, resume a, resume b, release",
    );
    expect([outcomes, updates.started, updates.isActive]).toEqual([["began pausing", "succeeded"], 1, false]);
  });

  it("lets no server go on before the version is set", async () => {
    const { targets, update } = setUp();
    targets.commit = async (version) => {
      await new Promise((resolve) => setImmediate(resolve));
      targets.steps.push(`commit ${version}`);
    };
    await update(SEVEN);
    expect(targets.steps.slice(-4)).toEqual(["commit 7", "resume a", "resume b", "release"]);
  });

  it("is done if all servers have the weights, and is not if they differ in path or version", async () => {
    const { updates, update } = setUp();
    await update(SEVEN);
    await update(SEVEN);
    expect(updates.started).toBe(1);
    await update({ ...SEVEN, path: "/v" });
    expect(updates.started).toBe(2);
    await update({ ...SEVEN, path: "/v", version: 8 });
    expect(updates.started).toBe(3);
  });

  it("leaves out excluded servers, which keep their weights", async () => {
    const { targets, update } = setUp();
    const { servers } = await update(SEVEN, ["b"]);
    expect(servers).toMatchObject([
      { url: "a", version: 7, state: "loaded" },
      { url: "b", version: 0, state: "excluded" },
    ]);
    expect(targets.steps).not.toContain("load b");
  });

  it("refuses to exclude unknown servers, or all", async () => {
    const { updates } = setUp();
    await expect(updates.start(SEVEN, ["c"])).rejects.toMatchObject({ code: "invalid_value", param: "exclude" });
    await expect(updates.start(SEVEN, ["a", "b"])).rejects.toMatchObject({ code: "invalid_value", param: "exclude" });
    expect(updates.started).toBe(0);
  });

  it("is refused before the pause if the engine cannot load it", async () => {
    const { targets, updates } = setUp();
    targets.check = () => {
      throw new Error("only version 8");
    };
    await expect(updates.start(SEVEN, [])).rejects.toThrow("only version 8");
    expect(targets.steps).toEqual([]);
  });

  it("leaves servers paused that were paused before", async () => {
    const { targets, update } = setUp();
    targets.wasPaused = true;
    expect(await update(SEVEN)).toMatchObject({ state: "idle", version: 7 });
    expect(targets.steps.slice(-2)).toEqual(["commit 7", "release held"]);
  });

  it("tells the result of comparing the weights, which it skips if they may be partial", async () => {
    const { targets, update } = setUp();
    targets.compare = () => Promise.resolve({ checked: false, reason: "no index" });
    expect(await update(SEVEN)).toMatchObject({ checked: false, not_checked: "no index" });
    targets.compare = () => Promise.reject(new Error("incomplete"));
    await expect(update({ ...SEVEN, version: 8 })).rejects.toThrow("incomplete");
    expect(await update({ ...SEVEN, version: 8 }, [], { allowPartial: true })).toMatchObject({
      version: 8,
      checked: false,
      not_checked: "`allow_partial` is set.",
    });
    expect(await update(PUSHED)).toMatchObject({ checked: null, not_checked: null });
  });
});

describe("a failed weight update", () => {
  it("holds calls, says what failed, and goes on with the servers that are left when it is repeated", async () => {
    const { targets, updates, outcomes, update } = setUp();
    targets.failures.set("load b", failure("no space"));
    expect(await update(SEVEN)).toMatchObject({
      state: "failed",
      version: 0,
      target_version: 7,
      mode: "path",
      path: "/w",
      error: "1 server of 2 did not load the weights. First: b: no space",
      servers: [
        { url: "a", state: "loaded", version: 7 },
        // `unchanged` does not say which weights those are after a load has begun.
        { url: "b", state: "failed", error: "no space" },
      ],
    });
    expect(updates.describeHold()).toMatch(
      /version 7 \(failed\) holds model calls.*Repeat it, exclude a server or give up/,
    );
    const error = await updates.failedError("No.");
    expect(error).toMatchObject({ code: "weights_failed", details: { weights: { state: "failed" } } });
    expect(error.message).toMatch(/No\. Model calls are held\. Repeat the update/);
    expect(() => updates.requireNone()).toThrow(expect.objectContaining({ code: "weights_busy" }));
    targets.failures.clear();
    targets.steps.length = 0;
    expect(await update(SEVEN)).toMatchObject({ state: "idle", version: 7, error: null });
    expect(targets.steps.filter((step) => step.startsWith("load"))).toEqual(["load b"]);
    expect(outcomes).toEqual(["began pausing", "failed", "began pausing", "succeeded"]);
  });

  it("does not know the weights of a server that could not be finished", async () => {
    const { targets, update } = setUp();
    targets.failures.set("finish b", failure("no answer"));
    expect(await update(SEVEN)).toMatchObject({
      state: "failed",
      error: "1 server of 2 did not load the weights. First: b: no answer",
      servers: [
        { url: "a", version: 7, state: "loaded" },
        { url: "b", version: null, state: "failed" },
      ],
    });
  });

  it("is over if it failed before it held a call", async () => {
    const { targets, updates, update } = setUp();
    targets.begin = () => Promise.reject(new Error("the disk is full"));
    expect(await update(SEVEN)).toMatchObject({ state: "idle", version: 0, error: "the disk is full" });
    expect([updates.isActive, updates.describeHold()]).toEqual([false, undefined]);
    expect(targets.steps).toEqual(["release"]);
  });

  it("goes on with the servers of the previous version if it is given up, and drains the others", async () => {
    const { targets, updates, outcomes, update } = setUp();
    targets.failures.set("pause b", failure("no answer", { unreachable: true }));
    await update(SEVEN);
    await updates.giveUp();
    expect(targets.steps).toEqual(["begin", "pause a", "pause b", "drain b", "resume a", "release"]);
    expect(await updates.record()).toMatchObject({
      state: "idle",
      version: 0,
      error: null,
      servers: [
        { url: "a", version: 0 },
        { url: "b", version: null, state: "excluded" },
      ],
    });
    expect(outcomes.at(-1)).toBe("given_up");
  });

  it("keeps what is known of servers whose weights are unchanged", async () => {
    const { targets, updates, update } = setUp();
    targets.failures.set("pause b", failure("busy"));
    expect((await update(SEVEN)).servers[1]).toMatchObject({ state: "failed", version: 0, error: "busy" });
    targets.steps.length = 0;
    await updates.giveUp();
    expect(targets.steps).toEqual(["resume a", "resume b", "release"]);
  });

  it("resumes the servers when it is repeated, although they are paused then, and has begun at its first attempt", async () => {
    const { targets, update } = setUp();
    targets.failures.set("load b", failure("no space"));
    const failed = await update(SEVEN);
    targets.failures.clear();
    targets.wasPaused = true;
    const done = await update(SEVEN);
    expect(done).toMatchObject({ state: "idle", started_at: failed.started_at });
    expect(done.paused_seconds).toBeGreaterThanOrEqual(failed.paused_seconds ?? 0);
    expect(targets.steps.slice(-3)).toEqual(["resume a", "resume b", "release"]);
  });

  it("fails if servers cannot be resumed after the load", async () => {
    const { targets, update } = setUp();
    targets.failures.set("resume a", failure("stuck"));
    targets.failures.set("resume b", failure("gone", { unreachable: true }));
    expect(await update(SEVEN)).toMatchObject({
      state: "failed",
      version: 7,
      error: "2 servers of 2 could not be resumed. First: a: stuck",
      servers: [{ version: 7 }, { version: null }],
    });
  });

  it("goes on with the new version if it is given up and no server has the previous one", async () => {
    const { targets, updates, update } = setUp();
    targets.failures.set("load b", failure("no space", { unchanged: false }));
    await update(SEVEN);
    targets.steps.length = 0;
    await updates.giveUp();
    expect(targets.steps).toEqual(["commit 7", "drain b", "resume a", "release"]);
    expect((await updates.record()).version).toBe(7);
  });

  it("drains a server that cannot be resumed, and fails if none can be", async () => {
    const { targets, updates, update } = setUp();
    targets.failures.set("load a", failure("no space", { unchanged: false }));
    await update(SEVEN);
    for (const server of ["a", "b"]) targets.failures.set(`resume ${server}`, failure("stuck"));
    await expect(updates.giveUp()).rejects.toMatchObject({
      code: "weights_failed",
      message: expect.stringContaining("No server could be resumed. First: "),
    });
    expect(await updates.record()).toMatchObject({ error: expect.stringContaining("No server could be resumed") });
    targets.failures.clear();
    await updates.giveUp();
    expect(await updates.record()).toMatchObject({ state: "idle", version: 7 });
    await updates.giveUp();
    expect(updates.started).toBe(1);
  });

  it("that a restart interrupted holds calls, and resumes the servers when it is repeated", async () => {
    const { targets, updates, update } = setUp();
    targets.wasPaused = true;
    updates.interrupt({ target: SEVEN, error: "restarted" }, await targets.servers());
    expect(await updates.record()).toMatchObject({ state: "failed", target_version: 7, error: "restarted" });
    expect(updates.describeHold()).toContain("holds model calls");
    expect(await update(SEVEN)).toMatchObject({ state: "idle", version: 7 });
    expect(targets.steps.slice(-3)).toEqual(["resume a", "resume b", "release"]);
  });

  it("is forgotten if a gateway has updated the weights since", async () => {
    const { targets, updates, update } = setUp();
    targets.failures.set("load a", failure("no space"));
    await update(SEVEN);
    updates.forget();
    expect([updates.isActive, (await updates.record()).error]).toEqual([false, null]);
    updates.requireNone();
  });
});

describe("an external weight update", () => {
  it("waits for the trainer, and finishes with its version only", async () => {
    const { targets, updates, update } = setUp();
    expect(await update(PUSHED)).toMatchObject({ state: "external", target_version: 7, mode: "external", path: null });
    expect([updates.isActive, updates.isRunning]).toEqual([true, false]);
    expect(updates.describeHold()).toMatch(/\(external\).*It ends with `POST \/rl\/weights\/finish`/);
    await update(PUSHED);
    expect(updates.started).toBe(1);
    await expect(updates.start(SEVEN, [])).rejects.toMatchObject({
      code: "weights_busy",
      message: expect.stringContaining("Finish it or give it up first"),
    });
    await expect(updates.start(PUSHED, ["b"])).rejects.toMatchObject({ code: "weights_busy" });
    await expect(updates.finish(8, [])).rejects.toMatchObject({
      code: "no_weight_update",
      message: expect.stringContaining("An update (external) to version 7 is external."),
    });
    await updates.finish(7, ["b"]);
    await updates.settle(60, new AbortController().signal);
    expect(targets.steps.slice(3)).toEqual(["drain b", "finish a", "commit 7", "resume a", "release"]);
    // Again, because the answer may have been lost.
    await updates.finish(7, []);
    expect((await updates.record()).version).toBe(7);
  });

  it("drains no server when it is finished unless one is excluded", async () => {
    const { targets, updates, settle, update } = setUp();
    const drains: (readonly string[])[] = [];
    targets.drain = async (urls) => void drains.push(urls);
    for (const [version, exclude] of [
      [7, []],
      [8, ["b"]],
    ] as const) {
      await update({ ...PUSHED, version });
      await updates.finish(version, exclude);
      await settle();
    }
    expect(drains).toEqual([["b"]]);
  });

  it("cannot be finished if none has begun", async () => {
    const { updates, update } = setUp();
    const refused = { code: "no_weight_update", message: expect.stringContaining("No update is in progress") };
    await expect(updates.finish(7, [])).rejects.toMatchObject(refused);
    await update(SEVEN);
    await expect(updates.finish(7, [])).rejects.toMatchObject(refused);
  });
});

describe("the answer to a weight update", () => {
  function reply() {
    const codes: number[] = [];
    return { codes, reply: { code: (code: number) => codes.push(code) } as never };
  }
  const wait = { seconds: 60, signal: new AbortController().signal };

  it("is the record once the update is over, and 202 with the record while it runs", async () => {
    const { targets, updates } = setUp();
    let loaded: () => void = () => undefined;
    targets.load = () => new Promise((resolve) => (loaded = resolve));
    await updates.start(SEVEN, ["b"]);
    await expect.poll(async () => (await updates.record()).state).toBe("loading");
    await updates.start(SEVEN, ["b"]);
    expect(updates.started).toBe(1);
    for (const other of [{ ...SEVEN, version: 8 }, { ...SEVEN, path: "/v" }, PUSHED]) {
      await expect(updates.start(other, ["b"])).rejects.toMatchObject({
        code: "weights_busy",
        message: expect.stringContaining("Wait for its end"),
      });
    }
    expect(updates.describeHold()).toMatch(/\(loading\).*`DELETE \/rl\/weights` gives it up/);
    const running = reply();
    expect(await answerUpdate(updates, running.reply, { ...wait, seconds: 0 })).toMatchObject({ state: "loading" });
    expect(running.codes).toEqual([202]);
    const answer = answerUpdate(updates, running.reply, wait);
    loaded();
    expect(await answer).toMatchObject({ state: "idle", version: 7 });
    expect(running.codes).toEqual([202]);
  });

  it("is an error with the record if the update failed", async () => {
    const { targets, updates } = setUp();
    targets.failures.set("load a", failure("no space"));
    await updates.start(SEVEN, []);
    await expect(answerUpdate(updates, reply().reply, wait)).rejects.toMatchObject({ code: "weights_failed" });
  });
});

describe("a step on each server", () => {
  it("tells the failures by their servers, and throws other errors", async () => {
    const failed = failure("no space");
    const step = async (url: string) => {
      if (url === "b") throw new StepError(failed);
    };
    expect(await tryEach(["a", "b"], step)).toEqual(new Map([["b", failed]]));
    const broken = async () => {
      throw new TypeError("a defect");
    };
    await expect(tryEach(["a"], broken)).rejects.toThrow("a defect");
  });
});

describe("a pause clock", () => {
  it("adds up the time in which it runs", () => {
    let now = 1000;
    const clock = new PauseClock(() => now);
    const passed = (milliseconds: number) => {
      now += milliseconds;
      return clock.seconds;
    };
    expect(passed(500)).toBe(0);
    clock.start();
    expect(passed(250)).toBe(0.25);
    clock.start();
    expect(passed(250)).toBe(0.5);
    clock.stop();
    expect(passed(1000)).toBe(0.5);
    clock.start();
    expect(passed(500)).toBe(1);
  });
});
