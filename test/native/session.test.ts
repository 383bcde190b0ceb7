import { describe, expect, it } from "vitest";
import { native } from "../../src/native/addon.js";
import { expectCode, floats, generation, ids, planOptions, record, twoTurns, withAny } from "./support.js";

describe("a native session", () => {
  it("records a conversation that shares its history", () => {
    const session = new native.Session();
    expect(record(session, session.prompt([ids(1, 2)]), [3], ["u"], ["a"])).toEqual({
      index: 0,
      parent: -1,
      tokenExact: false,
      sharedTokens: 0,
    });
    expect(record(session, session.prompt([ids(4), ids(), ids(7)], 0), [5, 6], ["u", "a", "v"], ["b"])).toEqual({
      index: 1,
      parent: 0,
      tokenExact: true,
      sharedTokens: 3,
    });
    expect(session.length).toBe(2);
    expect(session.interaction(0)).toEqual({
      parent: -1,
      tokenExact: false,
      promptTokens: 2,
      completionTokens: 1,
      sharedTokens: 0,
      forcedTokens: 0,
      ownReward: undefined,
      children: 1,
    });
  });

  it("returns the output of an interaction", () => {
    const session = new native.Session();
    const made = generation([3, 4], 7);
    made.append(ids(5), floats(-0.5), 8);
    const prompt = session.prompt([ids(1, 2)]);
    session.record({ prompt, generation: made, digests: native.digestMessages(["u"]), output: ["a"] });
    record(session, session.prompt([], 0), [], ["u", "a", "v"], ["b"]);
    expect(session.output(0)).toEqual({
      ids: ids(3, 4, 5),
      logprobs: floats(-3 / 8, -4 / 8, -0.5),
      versions: ids(7, 7, 8),
    });
    expect(session.output(1)).toEqual({ ids: ids(), logprobs: floats(), versions: ids() });
    expectCode("ERR_INVALID_ARG", () => session.output(2));
  });

  it("compares a prompt with a parent before it is recorded", () => {
    const session = twoTurns();
    const shared = (...pieces: number[]) => session.sharedLength(session.prompt([ids(...pieces)]), 0);
    const { promptTokens, completionTokens } = session.interaction(0);
    const parent = [...session.prompt([], 0).tokens()];
    expect(parent).toHaveLength(promptTokens + completionTokens);
    expect(shared(...parent, 9)).toBe(parent.length);
    expect(shared(...parent.slice(0, -1), 99, 9)).toBe(parent.length - 1);
    expect(shared(99)).toBe(0);
    expect(shared()).toBe(0);
    expect(session.sharedLength(session.prompt([ids(9)], 0), 0)).toBe(parent.length);
    expect(session.length).toBe(2);
  });

  it("builds a prompt whose start is shared with a parent, without another result than one whose tokens are copied", () => {
    const session = twoTurns();
    const parent = [...session.prompt([], 0).tokens()];
    for (const pieces of [[parent, [9]], [parent.slice(0, -1), [99, 9]], [[99]], [[]]]) {
      const arrays = pieces.map((each) => ids(...each));
      const prompt = session.promptSharing(arrays, 0);
      expect([...prompt.tokens()]).toEqual(pieces.flat());
      expect(prompt.length).toBe(pieces.flat().length);
      for (const other of [0, 1])
        expect(session.sharedLength(prompt, other)).toBe(session.sharedLength(session.prompt(arrays), other));
      expect(prompt.requestBody("", "").toString()).toBe(`[${pieces.flat().join(",")}]`);
    }
  });

  it("uses the given parent", () => {
    const session = twoTurns();
    const input = { digests: native.digestMessages(["u", "a", "w"]), output: [] };
    const root = session.record({
      ...input,
      prompt: session.prompt([ids(9)]),
      generation: generation([1]),
      parent: -1,
    });
    const child = session.record({
      ...input,
      prompt: session.prompt([ids(9)]),
      generation: generation([1]),
      parent: 1,
    });
    expect(root.parent).toBe(-1);
    expect(child.parent).toBe(1);
    expect(child.tokenExact).toBe(false);
  });

  it("finds parents by messages, and of several the newest", () => {
    const session = twoTurns();
    expect(session.findParent(native.digestMessages(["u", "a", "v", "b", "w"]))).toEqual({
      index: 1,
      rule: "continuation",
    });
    expect(session.findParent(native.digestMessages(["u", "rewritten"]))).toEqual({ index: 0, rule: "messages" });
    expect(session.findParent(native.digestMessages(["u"]))).toBeUndefined();
    record(session, session.prompt([ids(1, 2)]), [3], ["u"], ["a"]);
    expect(session.findParent(native.digestMessages(["u", "a", "w"]))).toEqual({ index: 2, rule: "continuation" });
    expect(session.findParent(native.digestMessages(["u", "rewritten"]))).toEqual({ index: 2, rule: "messages" });
  });

  it("distinguishes messages by every UTF-16 unit", () => {
    const digests = ["\ud800", "\ud801", "\ufffd", "a", "a\u0000", ""].map((text) =>
      Buffer.from(native.digestMessages([text])).toString("hex"),
    );
    expect(new Set(digests).size).toBe(digests.length);
    expect(native.digestMessages([])).toHaveLength(0);
  });

  it("digests a prefix independently of what follows", () => {
    const short = native.digestMessages(["a", "b"]);
    const long = native.digestMessages(["a", "b", "c"]);
    expect(long.subarray(0, 32)).toEqual(short);
    expect(long).toHaveLength(48);
    expect(native.digestMessages(["c"], short.subarray(16))).toEqual(long.subarray(32));
    expect(native.digestMessages([], short.subarray(16))).toHaveLength(0);
  });

  it("keeps own rewards, replaces them, and discounts over the tree", () => {
    const session = twoTurns();
    record(session, session.prompt([ids(8)], 0), [5], ["u", "a", "w"], ["c"]);
    session.setReward(2, 5);
    session.setReward(2, 1);
    session.setReward(0, 0.25);
    expect(session.interaction(2).ownReward).toBe(1);
    expect(session.interaction(1).ownReward).toBeUndefined();
    expect(session.discountedRewards(0.5)).toEqual(Float64Array.of(0.75, 0, 1));
    expect(session.discountedRewards(1)).toEqual(Float64Array.of(1.25, 0, 1));
  });

  it("adds the session's reward, discounted down to the leaf that completed last", () => {
    const session = twoTurns();
    record(session, session.prompt([ids(8)], 0), [5], ["u", "a", "w"], ["c"]);
    session.setReward(1, 1);
    session.setSessionReward(5);
    session.setSessionReward(4);
    expect(session.discountedRewards(0.5)).toEqual(Float64Array.of(0.5 + 2, 1 + 4, 4));
  });

  it("distinguishes calls with the same messages and answer by their tool call ids", () => {
    const session = new native.Session();
    const input = { digests: native.digestMessages(["u"]), output: ["a"] };
    for (const id of [11n, 22n]) {
      const call = {
        prompt: session.prompt([ids(1)]),
        generation: generation([2]),
        callIds: BigUint64Array.of(0n, id),
      };
      session.record({ ...input, ...call });
    }
    const next = native.digestMessages(["u", "a", "result"]);
    const findIndex = (id: bigint) => session.findParent(next, BigUint64Array.of(0n, id, id))?.index;
    expect([findIndex(11n), findIndex(22n), findIndex(33n), findIndex(0n)]).toEqual([0, 1, 1, 1]);
    expect(session.findParent(next)?.index).toBe(1);
  });

  it("counts each distinct set of labels once in its memory", () => {
    const session = new native.Session();
    const byteLengthAfter = (label: string) => {
      const input = { digests: native.digestMessages([]), output: [], labels: [label.repeat(10_000)] };
      session.record({ ...input, prompt: session.prompt([ids(1)]), generation: generation([2]) });
      return session.byteLength;
    };
    const first = byteLengthAfter("a");
    expect(byteLengthAfter("a") - first).toBeLessThan(5000);
    expect(byteLengthAfter("b") - first).toBeGreaterThan(10_000);
  });

  it("reports its memory", () => {
    const session = new native.Session();
    const empty = session.byteLength;
    record(session, session.prompt([new Int32Array(100_000)]), [3], ["u"], ["a"]);
    expect(session.byteLength - empty).toBeGreaterThan(400_000);
    expect(session.byteLength - empty).toBeLessThan(500_000);
  });

  it("refuses invalid arguments by name and stays unchanged", () => {
    const session = twoTurns();
    const digests = native.digestMessages(["u"]);
    const prompt = session.prompt([ids(1)]);
    const good = { prompt, generation: generation([1]), digests, output: [] };
    const refused: [() => unknown, string][] = [
      [() => session.findParent(new Uint8Array(15)), "digests"],
      [() => session.findParent(withAny([1])), "digests"],
      [() => session.findParent(withAny(undefined)), "digests"],
      [() => session.prompt(withAny(ids(1))), "pieces"],
      [() => session.prompt([withAny([1, 2])]), "pieces[0]"],
      [() => session.prompt([ids(1), withAny(new Uint32Array(2))]), "pieces[1]"],
      [() => session.prompt([ids(1, -2)]), "pieces"],
      [() => session.prompt([], 2), "base"],
      [() => session.prompt([], -1), "base"],
      [() => session.prompt([], 0.5), "base"],
      [() => session.record(withAny(null)), "input"],
      [() => session.record({ ...good, prompt: withAny({}) }), "prompt"],
      [() => session.record({ ...good, prompt: withAny(session) }), "prompt"],
      [() => session.record({ ...good, generation: withAny(prompt) }), "generation"],
      [() => session.record({ ...good, digests: new Uint8Array(17) }), "digests"],
      [() => session.record({ ...good, output: withAny("text") }), "output"],
      [() => session.record({ ...good, output: ["a", withAny(1)] }), "output[1]"],
      [() => session.record({ ...good, parent: 2 }), "parent"],
      [() => session.record({ ...good, parent: -2 }), "parent"],
      [() => session.record({ ...good, parent: withAny("0") }), "parent"],
      [() => session.record({ ...good, facts: withAny([1]) }), "facts"],
      [() => session.record({ ...good, facts: withAny(ids(1)) }), "facts"],
      [() => session.record({ ...good, facts: withAny(null) }), "facts"],
      [() => session.record({ ...good, labels: withAny("stop") }), "labels"],
      [() => session.record({ ...good, labels: ["stop", withAny(null)] }), "labels[1]"],
      [() => session.record({ ...good, startsRow: withAny(1) }), "startsRow"],
      [() => session.record({ ...good, startsRow: withAny(null) }), "startsRow"],
      [() => session.record({ ...good, callIds: withAny(new Float64Array(2)) }), "callIds"],
      [() => session.record({ ...good, callIds: BigUint64Array.of(1n) }), "callIds"],
      [() => session.findParent(digests, withAny([1n])), "callIds"],
      [() => session.sharedLength(withAny({}), 0), "prompt"],
      [() => session.promptSharing(withAny(1), 0), "pieces"],
      [() => session.promptSharing([withAny([1])], 0), "pieces[0]"],
      [() => session.promptSharing([], 2), "likelyParent"],
      [() => session.promptSharing([], withAny(undefined)), "likelyParent"],
      [() => session.sharedLength(good.prompt, 2), "parent"],
      [() => session.sharedLength(good.prompt, -1), "parent"],
      [() => session.findParent(digests, BigUint64Array.of(1n, 2n)), "callIds"],
      [() => session.setSessionReward(Number.NaN), "reward"],
      [() => session.setSessionReward(1e39), "reward"],
      [() => session.setSessionReward(withAny("1")), "reward"],
      [() => session.setSessionReward(withAny(undefined)), "reward"],
      [() => session.setReward(2, 1), "index"],
      [() => session.setReward(withAny("0"), 1), "index"],
      [() => session.setReward(Number.NaN, 1), "index"],
      [() => session.setReward(0, Number.NaN), "reward"],
      [() => session.setReward(0, Number.NEGATIVE_INFINITY), "reward"],
      [() => session.setReward(0, withAny("1")), "reward"],
      [() => session.setReward(0, withAny(true)), "reward"],
      [() => session.interaction(2 ** 40), "index"],
      [() => session.interaction(withAny(undefined)), "index"],
      [() => session.discountedRewards(1.5), "discount"],
      [() => session.discountedRewards(withAny(undefined)), "discount"],
      [() => native.digestMessages(withAny("text")), "canonical"],
      [() => native.digestMessages([withAny({})]), "canonical[0]"],
      [() => native.digestMessages(["text"], new Uint8Array(32)), "before"],
      [() => native.digestMessages(["text"], withAny("digest")), "before"],
    ];
    for (const [call, name] of refused) expectCode("ERR_INVALID_ARG", call, `${name}:`);
    expect(session.length).toBe(2);
    expect(good.generation.length).toBe(1);
    expect(session.record(good).index).toBe(2);
  });

  it("reads all getters of a record before any token", () => {
    const session = twoTurns();
    const made = generation([1]);
    const input = {
      prompt: session.prompt([ids(1)]),
      generation: made,
      digests: native.digestMessages(["u"]),
      get output(): string[] {
        session.record({ ...this.inner, generation: made });
        return [];
      },
      inner: { prompt: session.prompt([ids(2)]), digests: native.digestMessages(["x"]), output: [] },
    };
    expectCode("ERR_RELEASED", () => session.record(input));
    expect(session.length).toBe(3);
  });

  it("consumes the generation that it records", () => {
    const session = new native.Session();
    const made = generation([1]);
    const input = {
      prompt: session.prompt([ids(1)]),
      generation: made,
      digests: native.digestMessages([]),
      output: [],
    };
    session.record(input);
    expectCode("ERR_RELEASED", () => made.length);
    expectCode("ERR_RELEASED", () => made.append(ids(1), floats(-1), 0));
    expectCode("ERR_RELEASED", () => session.record(input));
    expect(session.length).toBe(1);
  });

  it("refuses any use after release, which may be called twice", () => {
    const session = twoTurns();
    const prompt = session.prompt([ids(7)], 1);
    session.release();
    session.release();
    expectCode("ERR_RELEASED", () => session.length);
    expectCode("ERR_RELEASED", () => session.prompt([]));
    expectCode("ERR_RELEASED", () => native.planBatch([session], planOptions));
    expect(prompt.tokens()).toEqual(ids(1, 2, 3, 4, 5, 6, 7));
  });
});

describe("a native prompt", () => {
  it("copies its pieces", () => {
    const piece = ids(1, 2);
    const prompt = new native.Session().prompt([piece]);
    piece.fill(9);
    expect(prompt.tokens()).toEqual(ids(1, 2));
    expect(prompt.length).toBe(2);
  });

  it("writes a request body in UTF-8", () => {
    const prompt = twoTurns().prompt([ids(2_147_483_647)], 0);
    const body = prompt.requestBody('{"rid":"é😀","input_ids":', ',"stream":false}');
    expect(JSON.parse(body.toString("utf8"))).toEqual({
      rid: "é😀",
      input_ids: [1, 2, 3, 2_147_483_647],
      stream: false,
    });
    expect(body).toBeInstanceOf(Buffer);
  });

  it("writes the same body on a worker thread, even if prompt and session are released", async () => {
    const session = twoTurns();
    const prompt = session.prompt([ids(9)], 1);
    const partial = generation([7, 8]);
    const expected = prompt.requestBody("é[", "]", partial);
    const written = prompt.requestBodyAsync("é[", "]", partial);
    expectCode("ERR_INVALID_ARG", () => partial.append(ids(1), Float32Array.of(0), 0), "the generation");
    prompt.release();
    session.release();
    expect(await written).toEqual(expected);
    expect(partial.length).toBe(2);
    await expect(twoTurns().prompt([]).requestBodyAsync("", "", withAny({}))).rejects.toMatchObject({
      code: "ERR_INVALID_ARG",
    });
  });

  it("writes a request body without its first ids", () => {
    const prompt = twoTurns().prompt([ids(9)], 1);
    const all = [...prompt.tokens()];
    for (let from = 0; from <= all.length; from++) {
      expect(prompt.requestBody("", "}", undefined, from).toString()).toBe(`${JSON.stringify(all.slice(from))}}`);
    }
    expectCode("ERR_INVALID_ARG", () => prompt.requestBody("", "", undefined, all.length + 1), "from");
    expectCode("ERR_INVALID_ARG", () => prompt.requestBody("", "", undefined, -1), "from");
  });

  it("is freed by release, except for its length", () => {
    const prompt = twoTurns().prompt([ids(9)], 1);
    prompt.release();
    prompt.release();
    expect(prompt.length).toBe(7);
    expectCode("ERR_RELEASED", () => prompt.tokens());
    expectCode("ERR_RELEASED", () => prompt.requestBody("", ""));
    expectCode("ERR_RELEASED", () => record(twoTurns(), prompt, [1], ["u"], ["a"]));
  });

  it("writes a cut generation after the prompt", () => {
    const prompt = twoTurns().prompt([]);
    expect(prompt.requestBody("", "", generation([7, 8])).toString()).toBe("[7,8]");
    expect(prompt.requestBody("", "", new native.Generation()).toString()).toBe("[]");
    expectCode("ERR_INVALID_ARG", () => prompt.requestBody("", "", withAny({})), "partial:");
    expectCode("ERR_INVALID_ARG", () => prompt.requestBody(withAny(1), ""), "prefix:");
    expectCode("ERR_INVALID_ARG", () => prompt.requestBody("", withAny(undefined)), "suffix:");
  });
});
