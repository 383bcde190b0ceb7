import { describe, expect, it, vi } from "vitest";
import { Exporter, type ExportRules } from "../../../src/session/export/exporter.js";
import type { Session } from "../../../src/session/session.js";
import type { SessionRegistry } from "../../../src/session/session-registry.js";
import { DamagedSessionError } from "../../../src/session/stored/damaged-session-error.js";
import { hashText } from "../../../src/support/hash-text.js";
import { registryOf } from "../support/registry.js";

const AT_ONCE: ExportRules = { waitMilliseconds: 0, drainMilliseconds: 0 };
const REQUEST = { requestKey: "request", retryCount: 0 };

const endedSession = (registry: SessionRegistry, split?: "train" | "eval"): Session => {
  const { session } = registry.start({ split });
  session.end();
  return session;
};

describe("an export of one session", () => {
  it.each([
    ["eval", "train", /^Session task-0 is an evaluation session.* Set `split` to `eval`/],
    ["train", "eval", /^Session task-0 is a training session.* Leave out `split`/],
  ] as const)("of the split %s is refused for the split %s, with what to do", async (own, split, message) => {
    const registry = registryOf();
    const { id } = endedSession(registry, own);
    const refused = new Exporter(registry).one(id, { ...AT_ONCE, split }, async () => "packed");
    await expect(refused).rejects.toMatchObject({
      code: "wrong_split",
      message: expect.stringMatching(message) as string,
    });
  });

  it("seals it: its key is revoked, and it can be exported again while it is retained", async () => {
    const registry = registryOf();
    const { session, key } = registry.start({});
    session.end();
    const exporter = new Exporter(registry);
    const pack = async ({ id }: Session) => `packed ${id}`;
    expect(await exporter.one(session.id, AT_ONCE, pack)).toBe("packed task-0");
    expect([session.state, registry.byKeyHash(hashText(key))]).toEqual(["exported", undefined]);
    expect(await exporter.one(session.id, AT_ONCE, pack)).toBe("packed task-0");
    registry.freeRetained(() => false);
    expect(session.lifecycle.freed).toBe(true);
  });

  it("leaves it as it was if it cannot be packed", async () => {
    const registry = registryOf();
    const { session, key } = registry.start({});
    session.end();
    const failing = new Exporter(registry).one(session.id, AT_ONCE, () => Promise.reject(new Error("no memory")));
    await expect(failing).rejects.toThrow("no memory");
    expect([session.state, session.lifecycle.exporting]).toEqual(["ended", false]);
    expect(registry.byKeyHash(hashText(key))).toBe(session);
  });
});

describe("an export of sessions that cannot be exported", () => {
  const refused: [string, string, (session: Session) => void][] = [
    ["is active", "session_active", () => undefined],
    ["expired", "session_expired", (session) => session.free("expired")],
    [
      "is no longer retained",
      "session_exported",
      (session) => {
        session.end();
        session.free("exported");
      },
    ],
    [
      "was acknowledged",
      "session_exported",
      (session) => {
        session.end();
        session.lifecycle.acknowledge();
      },
    ],
  ];

  it.each(refused)("is refused if one %s, with the code %s, and seals none", async (_, code, finish) => {
    const registry = registryOf();
    const { session } = registry.start({});
    finish(session);
    const other = endedSession(registry);
    const exporter = new Exporter(registry);
    await expect(exporter.one(session.id, AT_ONCE, async () => "packed")).rejects.toMatchObject({ code });
    await expect(exporter.prepare([other.id, session.id], AT_ONCE, async () => "packed")).rejects.toMatchObject({
      code,
      param: "session_ids",
      message: expect.stringMatching(/^1 of 2 sessions cannot be exported, so none was\. First: Session task-0 /),
      details: { sessions: [expect.objectContaining({ session_id: session.id, code })] },
    });
    expect([other.state, other.lifecycle.exporting, session.lifecycle.exporting]).toEqual(["ended", false, false]);
  });

  it("names all of them, with a common code only if it is the same", async () => {
    const registry = registryOf();
    const active = registry.start({}).session;
    const exporting = new Exporter(registry).ready([active.id, "unknown-1"], AT_ONCE);
    await expect(exporting).rejects.toMatchObject({
      code: "batch_not_exportable",
      details: {
        sessions: [
          { session_id: "unknown-1", code: "session_not_found" },
          { session_id: active.id, code: "session_active" },
        ],
      },
    });
    const unknown = Array.from({ length: 1001 }, (_, index) => `unknown-${index}`);
    const refusal: unknown = await new Exporter(registry).ready(unknown, AT_ONCE).catch((error: unknown) => error);
    const { code, message, details } = refusal as { code: string; message: string; details: { sessions: object[] } };
    expect([code, details.sessions.length]).toEqual(["session_not_found", 1000]);
    expect(message).toMatch(/^1001 of 1001 sessions/);
  });

  it.each([
    ["train", undefined, undefined],
    ["train", "train", undefined],
    ["train", "eval", "wrong_split"],
    ["eval", undefined, "wrong_split"],
    ["eval", "train", "wrong_split"],
    ["eval", "eval", undefined],
  ] as const)("is refused by their split: %s sessions for the split %s (%s)", async (split, wanted, code) => {
    const registry = registryOf();
    const { id } = endedSession(registry, split);
    const rules = { ...AT_ONCE, split: wanted };
    const exporter = new Exporter(registry);
    const codeOf = (exporting: Promise<unknown>) =>
      exporting.then(
        () => undefined,
        (error: { code: string }) => error.code,
      );
    expect(await codeOf(exporter.ready([id], rules))).toBe(code);
    expect(await codeOf(exporter.one(id, rules, async () => "packed"))).toBe(code);
  });
});

describe("an export", () => {
  it("aborts the calls that do not end in time, and counts them", async () => {
    const registry = registryOf();
    const { session } = registry.start({});
    const call = session.calls.begin(REQUEST);
    session.end();
    call.aborting.addEventListener("abort", () => session.calls.end(call));
    expect(await new Exporter(registry).one(session.id, AT_ONCE, async () => "packed")).toBe("packed");
    expect([session.state, session.counts.incompleteCalls]).toEqual(["exported", 1]);
    expect(call.aborting.reason).toMatchObject({ code: "call_aborted" });
  });

  it("waits for calls in flight, which it does not abort if they end in time", async () => {
    const registry = registryOf();
    const { session } = registry.start({});
    const call = session.calls.begin(REQUEST);
    session.end();
    const rules = { ...AT_ONCE, drainMilliseconds: 3_600_000 };
    const exporting = new Exporter(registry).prepare([session.id], rules, async () => "packed");
    await new Promise(setImmediate);
    expect(session.lifecycle.exporting).toBe(false);
    session.calls.end(call);
    const { packed, sessions } = await exporting;
    expect([packed, sessions, call.aborting.aborted]).toEqual(["packed", [session], false]);
    expect(session.counts.incompleteCalls).toBe(0);
  });

  it.each([
    ["taken", "exported", false],
    ["held", "exported", true],
    ["left", "ended", false],
  ] as const)("that is settled as %s leaves its sessions %s", async (outcome, state, held) => {
    const registry = registryOf();
    const { session, key } = registry.start({});
    session.end();
    const { settle } = await new Exporter(registry).prepare([session.id], AT_ONCE, async () => "packed");
    expect(session.lifecycle.exporting).toBe(true);
    settle(outcome);
    expect([session.state, session.lifecycle.held, session.lifecycle.exporting]).toEqual([state, held, false]);
    expect(registry.byKeyHash(hashText(key))).toBe(outcome === "left" ? session : undefined);
  });

  it.each([
    ["its data cannot be completed", true],
    ["packing fails", false],
  ])("leaves its sessions as they were if %s", async (_, failsBefore) => {
    const registry = registryOf();
    const session = endedSession(registry);
    const fail = () => Promise.reject(new Error("for a test"));
    const signal = new AbortController().signal;
    const completed: unknown[] = [];
    const exporter = new Exporter(registry, (...args) => {
      completed.push(args);
      return failsBefore ? fail() : Promise.resolve();
    });
    await expect(exporter.one(session.id, { ...AT_ONCE, signal }, fail)).rejects.toThrow("for a test");
    expect(completed).toEqual([[[session], signal]]);
    expect([session.state, session.lifecycle.exporting]).toEqual(["ended", false]);
  });

  it("is refused if stored data is damaged, and all damaged sessions are named", async () => {
    const registry = registryOf();
    const sessions = [endedSession(registry), endedSession(registry), endedSession(registry)];
    for (const { data } of sessions) data.unload();
    const woken: string[] = [];
    vi.spyOn(registry, "wake").mockImplementation(async ({ id }) => {
      woken.push(id);
      if (id !== sessions[1]?.id) throw new DamagedSessionError(id, { reason: "its checksum is wrong" });
    });
    const ids = sessions.map(({ id }) => id);
    await expect(new Exporter(registry).prepare(ids, AT_ONCE, async () => "packed")).rejects.toMatchObject({
      code: "session_damaged",
      details: { sessions: [{ session_id: ids[0] }, { session_id: ids[2] }] },
    });
    expect(woken).toEqual(ids);
    expect(sessions.map(({ state, lifecycle }) => [state, lifecycle.exporting])).toEqual(
      Array(3).fill(["ended", false]),
    );
    vi.spyOn(registry, "wake").mockRejectedValue(new Error("no disk"));
    await expect(new Exporter(registry).one(ids[0] ?? "", AT_ONCE, async () => "packed")).rejects.toThrow("no disk");
  });
});
