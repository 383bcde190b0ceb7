import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { native } from "../../src/native/addon.js";
import type { NativeGeneration, NativeSession, PlanOptions } from "../../src/native/contract.js";
import { expectCode, floats, generation, ids, planOptions, record, rowColumn, twoTurns, withAny } from "./support.js";

const digestKey = new Uint8Array(randomBytes(16));

interface Turn {
  readonly base?: number;
  readonly input: number[];
  readonly generation: NativeGeneration;
  readonly messages: string[];
  readonly answer: string;
  readonly parent: number;
  readonly startsRow?: boolean;
}

function add(session: NativeSession, turn: Turn): void {
  session.record({
    prompt: session.prompt([ids(...turn.input)], turn.base),
    generation: turn.generation,
    digests: native.digestMessages(turn.messages, undefined, digestKey),
    output: [turn.answer],
    parent: turn.parent,
    facts: Uint32Array.of(session.length, 0xffff_ffff),
    labels: ["stop", `größe ${session.length % 2}`, ""],
    startsRow: turn.startsRow ?? false,
    callIds: BigUint64Array.of(0n, 2n ** 63n + BigInt(session.length)),
  });
}

/** A generation whose tokens have several versions, and log probabilities of every kind of float. */
function variedGeneration(): NativeGeneration {
  const made = new native.Generation();
  made.append(ids(7, 2_147_483_647, 0, 1), floats(-0, -1e-45, -3.4e38, 0.1), ids(3, 3, -1, 2_147_483_647));
  return made;
}

/** Returns a session with a branch, a rewritten history, a second root and an empty answer. */
function branchedSession(): NativeSession {
  const session = new native.Session(digestKey);
  add(session, { input: [1, 2], generation: variedGeneration(), messages: ["u"], answer: "a", parent: -1 });
  add(session, { base: 0, input: [4], generation: generation([5]), messages: ["u", "a", "v"], answer: "b", parent: 0 });
  add(session, { base: 0, input: [6], generation: generation([]), messages: ["u", "a", "w"], answer: "", parent: 0 });
  add(session, {
    input: [1, 2, 7, 9],
    generation: variedGeneration(),
    messages: ["u", "rewritten"],
    answer: "c",
    parent: 1,
    startsRow: true,
  });
  add(session, { input: [], generation: generation([8], 4), messages: ["other"], answer: "d", parent: -1 });
  add(session, { base: 3, input: [], generation: generation([2]), messages: ["next"], answer: "e", parent: 3 });
  return session;
}

const serialized = (session: NativeSession): Buffer[] =>
  Array.from({ length: session.length }, (_, index) => session.serialize(index));

/** Returns the copy of a session that was stored and read again, with the same rewards. */
function restored(session: NativeSession): NativeSession {
  const copy = new native.Session(digestKey);
  copy.restore(serialized(session));
  for (let index = 0; index < session.length; index++) {
    const { ownReward } = session.interaction(index);
    if (ownReward !== undefined) copy.setReward(index, ownReward);
  }
  return copy;
}

const columns = [
  rowColumn({ name: "first_fact", slot: 0, perTurn: true }),
  rowColumn({ name: "second_fact", slot: 1 }),
  rowColumn({ name: "label", source: "label", slot: 1, perTurn: true }),
  rowColumn({ name: "parent", source: "parentRow" }),
];
const exports: readonly (readonly [string, Partial<PlanOptions>])[] = [
  ["padded, individual", { columns }],
  ["padded, concat", { style: "concat", onMismatch: "split", turns: true, columns }],
  ["packed, individual", { layout: "packed", turns: true, columns }],
  ["packed, concat", { layout: "packed", style: "concat", onMismatch: "split", concatReward: "return", columns }],
  ["tree", { layout: "tree", columns: columns.map((column) => ({ ...column, perTurn: false })) }],
];

async function pack(session: NativeSession, options: Partial<PlanOptions>): Promise<Buffer> {
  const batch = await native.planBatch([session], { ...planOptions, discount: 0.5, ...options }).pack({ rows: "[]" });
  return Buffer.from(batch.bytes);
}

describe("a restored session", () => {
  it.each(exports)("exports the same bytes: %s", async (_, options) => {
    const session = branchedSession();
    session.setReward(3, 0.25);
    session.setReward(2, -1);
    expect(await pack(restored(session), options)).toEqual(await pack(session, options));
  });

  it("has the same interactions, rewards and size", () => {
    const session = branchedSession();
    session.setReward(1, 2);
    const copy = restored(session);
    for (let index = 0; index < session.length; index++) {
      expect(copy.interaction(index)).toEqual(session.interaction(index));
      expect(copy.prompt([ids(9)], index).tokens()).toEqual(session.prompt([ids(9)], index).tokens());
    }
    expect(copy.discountedRewards(0.5)).toEqual(session.discountedRewards(0.5));
    expect(copy.byteLength / session.byteLength).toBeCloseTo(1, 1);
    expect(serialized(copy)).toEqual(serialized(session));
  });

  it("finds the same parents, by messages and by call ids", () => {
    const session = branchedSession();
    add(session, { input: [1, 2], generation: generation([7]), messages: ["u"], answer: "a", parent: -1 });
    const copy = restored(session);
    const digest = (...messages: string[]) => native.digestMessages(messages, undefined, digestKey);
    expect(copy.findParent(digest("u", "a", "x"))).toEqual({ index: 6, rule: "continuation" });
    const first = 2n ** 63n;
    expect(copy.findParent(digest("u", "a", "x"), BigUint64Array.of(0n, first, first))).toMatchObject({ index: 0 });
    expect(copy.findParent(digest("u", "unknown"))).toEqual({ index: 6, rule: "messages" });
    expect(copy.findParent(digest("unknown", "list"))).toBeUndefined();
  });

  it("can be extended, stored and restored again", () => {
    const copy = restored(branchedSession());
    add(copy, { base: 5, input: [3], generation: generation([4]), messages: ["end"], answer: "f", parent: 5 });
    expect(copy.interaction(6)).toMatchObject({ tokenExact: true, sharedTokens: 9 });
    expect(serialized(restored(copy))).toEqual(serialized(copy));
  });

  it("accepts parts in several calls and at any address", () => {
    const parts = serialized(branchedSession());
    const copy = new native.Session(digestKey);
    for (const [index, part] of parts.entries()) {
      const shifted = new Uint8Array(part.length + index).subarray(index);
      shifted.set(part);
      copy.restore([shifted]);
      shifted.fill(0);
    }
    copy.restore([]);
    expect(serialized(copy)).toEqual(parts);
  });
});

describe("a stored interaction", () => {
  it("takes four bytes per input token, eight per output token, and little else", () => {
    const session = new native.Session();
    const answer = Array.from({ length: 50 }, () => 1);
    record(session, session.prompt([new Int32Array(100)]), answer, ["u"], ["a"]);
    record(session, session.prompt([new Int32Array(10)], 0), answer, ["u", "a", "v"], ["b"]);
    expect(session.serialize(0).length).toBeLessThan(100 * 4 + 50 * 8 + 100);
    expect(session.serialize(1).length).toBeLessThan(10 * 4 + 50 * 8 + 100);
  });

  it("of more than a megabyte is restored too", () => {
    const session = new native.Session();
    record(session, session.prompt([new Int32Array(400_000).fill(5)]), [1], ["u"], ["a"]);
    const copy = new native.Session();
    copy.restore([session.serialize(0)]);
    const tokensOf = (of: NativeSession) => Buffer.from(of.prompt([], 0).tokens().buffer);
    expect(tokensOf(copy).equals(tokensOf(session))).toBe(true);
  });

  it("is refused if any single bit is changed", () => {
    const part = branchedSession().serialize(0);
    const copy = new native.Session(digestKey);
    for (let bit = 0; bit < 8 * part.length; bit++) {
      const damaged = Uint8Array.from(part, (byte, index) => (index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
      expectCode("ERR_STORED_INVALID", () => copy.restore([damaged]), "parts[0]: ");
    }
    expect(copy.length).toBe(0);
    copy.restore([part]);
  });

  it("is refused if it is cut, longer, of another format, or not the next one", () => {
    const parts = serialized(twoTurns());
    const [first = Buffer.of(), second = Buffer.of()] = parts;
    const newer = Buffer.from(first);
    newer.writeUInt16LE(7, 4);
    const damaged = Buffer.from(first);
    damaged[90] = 99;
    const refusals: [Uint8Array, string][] = [
      [first.subarray(0, -1), `parts[0]: truncated: ${first.length - 1} of ${first.length} bytes`],
      [Buffer.concat([first, first]), `parts[0]: length: ${2 * first.length} bytes`],
      [newer, "parts[0]: format version 7: this build reads 1"],
      [damaged, "parts[0]: checksum: the bytes are damaged"],
      [Buffer.from("{}{}{}"), "parts[0]: these bytes are not a serialized interaction"],
      [second, "parts[0]: index: this is interaction 1, but the next one is 0"],
    ];
    for (const [part, message] of refusals) {
      expectCode("ERR_STORED_INVALID", () => new native.Session().restore([part]), message);
    }
  });

  it("that is refused leaves the parts before it, and nothing of itself", () => {
    const session = branchedSession();
    const parts = serialized(session);
    const copy = new native.Session(digestKey);
    const [first = Buffer.of(), second = Buffer.of()] = parts;
    expectCode("ERR_STORED_INVALID", () => copy.restore([first, second, second]), "parts[2]: index:");
    expect(copy.length).toBe(2);
    copy.restore(parts.slice(2));
    expect(serialized(copy)).toEqual(parts);
  });
});

describe("a session restored on another thread", () => {
  it("equals one that is restored synchronously", async () => {
    const parts = serialized(branchedSession());
    const copy = new native.Session(digestKey);
    const restoring = copy.restoreAsync(parts);
    expect(copy.length).toBe(0);
    expect(await restoring).toEqual(new native.Session(digestKey).restore(parts));
    expect(serialized(copy)).toEqual(parts);
  });

  it("stays empty if a part is refused", async () => {
    const [first = Buffer.of(), second = Buffer.of()] = serialized(branchedSession());
    const copy = new native.Session(digestKey);
    await expect(copy.restoreAsync([first, second, second])).rejects.toMatchObject({
      code: "ERR_STORED_INVALID",
      message: expect.stringContaining("parts[2]: index:") as string,
    });
    expect(copy.length).toBe(0);
    await copy.restoreAsync([first, second]);
    expect(copy.length).toBe(2);
  });

  it("is refused if it has interactions or gets one meanwhile", async () => {
    const [part = Buffer.of()] = serialized(branchedSession());
    const copy = new native.Session(digestKey);
    const restoring = copy.restoreAsync([part]);
    add(copy, { input: [1], generation: generation([2]), messages: ["u"], answer: "a", parent: -1 });
    const recorded = serialized(copy);
    await expect(restoring).rejects.toMatchObject({ code: "ERR_INVALID_ARG" });
    await expect(copy.restoreAsync([part])).rejects.toMatchObject({ code: "ERR_INVALID_ARG" });
    expect(serialized(copy)).toEqual(recorded);
  });

  it("rejects with ERR_RELEASED if it is released meanwhile", async () => {
    const copy = new native.Session(digestKey);
    const restoring = copy.restoreAsync(serialized(branchedSession()));
    copy.release();
    await expect(restoring).rejects.toMatchObject({ code: "ERR_RELEASED" });
  });

  it("has all parts even if the caller empties the array", async () => {
    const source = branchedSession();
    const parts = serialized(source);
    const copy = new native.Session(digestKey);
    const restoring = copy.restoreAsync(parts);
    parts.length = 0;
    await restoring;
    expect(serialized(copy)).toEqual(serialized(source));
  });

  it.each([
    ["parts:", "part", undefined],
    ["parts[1]:", [Buffer.alloc(1), 7], undefined],
    ["compactedFrom:", [Buffer.alloc(1)], Int32Array.of(1, 2)],
  ])("refuses invalid arguments: %s", async (name, parts, compactedFrom) => {
    await expect(new native.Session().restoreAsync(withAny(parts), compactedFrom)).rejects.toMatchObject({
      code: "ERR_INVALID_ARG",
      message: expect.stringContaining(name) as string,
    });
  });
});

describe("a digest key", () => {
  it("decides the digests", () => {
    const digest = (key?: Uint8Array) => Buffer.from(native.digestMessages(["a", "b"], undefined, key)).toString("hex");
    expect(digest(digestKey)).toBe(digest(Uint8Array.from(digestKey)));
    expect(new Set([digest(), digest(digestKey), digest(new Uint8Array(16))]).size).toBe(3);
    const before = native.digestMessages(["a"], undefined, digestKey);
    expect(native.digestMessages(["b"], before, digestKey)).toEqual(
      native.digestMessages(["a", "b"], undefined, digestKey).subarray(16),
    );
  });

  it("is the one that its session chains answers with", () => {
    const session = new native.Session(digestKey);
    add(session, { input: [1], generation: generation([2]), messages: ["u"], answer: "a", parent: -1 });
    const next = ["u", "a", "v"];
    expect(session.findParent(native.digestMessages(next, undefined, digestKey))?.rule).toBe("continuation");
    expect(session.findParent(native.digestMessages(next))).toBeUndefined();
  });

  it("is copied", () => {
    const key = Uint8Array.from(digestKey);
    const session = new native.Session(key);
    key.fill(0);
    add(session, { input: [1], generation: generation([2]), messages: ["u"], answer: "a", parent: -1 });
    const next = native.digestMessages(["u", "a", "v"], undefined, digestKey);
    expect(session.findParent(next)?.rule).toBe("continuation");
  });
});

it("refuses arguments of another type by name", () => {
  const session = twoTurns();
  const refused: [() => unknown, string][] = [
    [() => session.serialize(2), "index:"],
    [() => session.serialize(-1), "index:"],
    [() => session.serialize(withAny(undefined)), "index:"],
    [() => session.restore(withAny(session.serialize(0))), "parts:"],
    [() => session.restore([withAny("part")]), "parts[0]:"],
    [() => session.restore([withAny(new Int32Array(30))]), "parts[0]:"],
    [() => new native.Session(new Uint8Array(15)), "digestKey:"],
    [() => new native.Session(withAny("0123456789abcdef")), "digestKey:"],
    [() => new native.Session(withAny(null)), "digestKey:"],
    [() => native.digestMessages(["a"], undefined, new Uint8Array(17)), "digestKey:"],
  ];
  for (const [call, name] of refused) expectCode("ERR_INVALID_ARG", call, name);
  expect(session.length).toBe(2);
  session.release();
  expectCode("ERR_RELEASED", () => session.serialize(0));
  expectCode("ERR_RELEASED", () => session.restore([]));
});
