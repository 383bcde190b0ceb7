import { describe, expect, it } from "vitest";
import { isRunKey, RunKeys } from "../../src/session/run-keys.js";
import { newSessionKey } from "../../src/session/session-keys.js";
import { readKeyTag } from "../../src/session/worker-tag.js";

/** A storage that keeps values as JSON. */
class Values {
  readonly #values = new Map<string, string>();

  saveValue(name: string, value: unknown): void {
    this.#values.set(name, JSON.stringify(value));
  }

  readValue(name: string): unknown {
    return JSON.parse(this.#values.get(name) ?? "null") ?? undefined;
  }
}

const ADMIN = "sk-admin-0123456789abcdef";

describe("a run key", () => {
  it("has what its run decides, and is different for each run", () => {
    const keys = new RunKeys(ADMIN);
    const start = { taskId: "math", groupId: "grüße", split: "eval", samplingOverride: { temperature: 0.5 } } as const;
    const [one, two] = [keys.start(start), keys.start(start)];
    expect(one.key).not.toBe(two.key);
    expect(keys.find(one.key)).toEqual({ ...start, runId: one.run.runId });
  });

  it("is accepted by every server with the same admin key, and by no other", () => {
    const { key, run } = new RunKeys(ADMIN).start({ taskId: "math" });
    expect(new RunKeys(ADMIN).find(key)?.runId).toBe(run.runId);
    expect(new RunKeys(`${ADMIN}0`).find(key)).toBeUndefined();
  });

  it("is told from session keys, also those of a worker with the tag rk", () => {
    const { key } = new RunKeys(ADMIN).start({ taskId: "math" });
    expect([key, newSessionKey(), newSessionKey("rk"), "rk-a.b"].map(isRunKey)).toEqual([true, false, false, false]);
    expect(readKeyTag(key)).toBeUndefined();
  });

  it("stays valid with another admin key if the sessions are stored, for the last eight of them", () => {
    const values = new Values();
    const made = Array.from({ length: 9 }, (_, index) =>
      new RunKeys(`${ADMIN}${index}`, values).start({ taskId: "t" }),
    );
    const last = new RunKeys(`${ADMIN}8`, values);
    expect(made.map(({ key }) => last.find(key) !== undefined)).toEqual([false, ...Array<boolean>(8).fill(true)]);
  });
});
