import { describe, expect, it } from "vitest";
import { native } from "../../src/native/addon.js";
import { expectCode, floats, generation, ids, withAny } from "./support.js";

const reply = (meta: object, outputIds?: number[]): Buffer =>
  Buffer.from(JSON.stringify({ text: "é", output_ids: outputIds, meta_info: meta }));

const twoTokens = {
  id: "r-1",
  finish_reason: { type: "stop", matched: 12 },
  prompt_tokens: 7,
  completion_tokens: 2,
  cached_tokens: 3,
  weight_version: "default",
  output_token_logprobs: [
    [-0.5, 11, null],
    [-0.25, 12, null],
  ],
};

describe("a native generation", () => {
  it("returns copies of its tokens from any index", () => {
    const made = new native.Generation();
    made.append(ids(1, 2), floats(-1, -2), 5);
    made.append(ids(3), floats(-3), ids(6));
    expect(made.length).toBe(3);
    expect(made.ids()).toEqual(ids(1, 2, 3));
    expect(made.ids(1)).toEqual(ids(2, 3));
    expect(made.logprobs(2)).toEqual(floats(-3));
    expect(made.versions()).toEqual(ids(5, 5, 6));
    expect(made.versions(2)).toEqual(ids(6));
    expect(made.ids(3)).toEqual(ids());
    made.ids().fill(9);
    expect(made.ids()).toEqual(ids(1, 2, 3));
  });

  it("returns the alternatives of its tokens from any index", () => {
    const made = new native.Generation();
    expect(made.top()).toBeUndefined();
    made.append(ids(1, 2), floats(-1, -2), 0);
    made.appendTop(ids(2, 8), floats(-2, -3), 2);
    made.append(ids(3), floats(-1), 0);
    expect(made.top()).toEqual({
      width: 2,
      ids: ids(-1, -1, 2, 8, -1, -1),
      logprobs: floats(0, 0, -2, -3, 0, 0),
    });
    expect(made.top(1)).toEqual({ width: 2, ids: ids(2, 8, -1, -1), logprobs: floats(-2, -3, 0, 0) });
    expect(made.top(2)).toEqual({ width: 2, ids: ids(-1, -1), logprobs: floats(0, 0) });
    expect(made.top(3)).toEqual({ width: 2, ids: ids(), logprobs: floats() });
    expectCode("ERR_INVALID_ARG", () => made.top(4));
  });

  it("refuses invalid arguments by name and stays unchanged", async () => {
    const made = generation([1]);
    await expect(made.appendSglangReplyAsync(withAny({}), 0)).rejects.toMatchObject({ code: "ERR_INVALID_ARG" });
    await expect(made.appendSglangReplyAsync(reply(twoTokens), 0.5)).rejects.toMatchObject({ code: "ERR_INVALID_ARG" });
    const refused: [() => unknown, string][] = [
      [() => made.append(withAny([1]), floats(-1), 0), "ids"],
      [() => made.append(ids(1), withAny(new Float64Array(1)), 0), "logprobs"],
      [() => made.append(ids(1), floats(-1), withAny(undefined)), "versions"],
      [() => made.append(ids(1), floats(-1), 1.5), "versions"],
      [() => made.append(ids(1), floats(-1), 2 ** 31), "versions"],
      [() => made.append(ids(1), floats(-1), ids(1, 2)), "versions"],
      [() => made.append(ids(1, 2), floats(-1), 0), "logprobs"],
      [() => made.append(ids(-1), floats(-1), 0), "ids"],
      [() => made.appendTop(ids(1), floats(-1), 0), "width"],
      [() => made.appendTop(ids(1), floats(-1), withAny("1")), "width"],
      [() => made.appendTop(ids(1, 2), floats(-1, -2), 1), "ids"],
      [() => made.ids(2), "from"],
      [() => made.logprobs(-1), "from"],
      [() => made.versions(withAny("0")), "from"],
      [() => made.appendSglangReply(withAny("{}"), 0), "body"],
      [() => made.appendSglangReply(reply(twoTokens), withAny(undefined)), "version"],
    ];
    for (const [call, name] of refused) expectCode("ERR_INVALID_ARG", call, `${name}:`);
    expectCode("ERR_REPLY_NOT_FINITE", () => made.append(ids(1), floats(Number.NaN), 0));
    expectCode("ERR_REPLY_NOT_FINITE", () => made.appendTop(ids(1), floats(Number.POSITIVE_INFINITY), 1));
    expect(made.ids()).toEqual(ids(1));
    expect(made.top()).toBeUndefined();
  });

  it("reads a reply of SGLang", () => {
    const made = generation([9], 1);
    expect(made.appendSglangReply(reply(twoTokens, [5, 11, 12]), 4)).toEqual({
      tokens: 2,
      id: "r-1",
      finish: { type: "stop", matched: 12 },
      promptTokens: 7,
      completionTokens: 2,
      cachedTokens: 3,
      versions: { naming: "none", firstCount: 2, mixed: false, saysDefault: true },
    });
    expect(made.ids()).toEqual(ids(9, 11, 12));
    expect(made.logprobs(1)).toEqual(floats(-0.5, -0.25));
    expect(made.versions()).toEqual(ids(1, 4, 4));
  });

  it("omits fields that the reply lacks", () => {
    const aborted = { completion_tokens: 0, finish_reason: { type: "abort", message: "Abort in waiting queue" } };
    expect(new native.Generation().appendSglangReply(reply(aborted), 0)).toEqual({
      tokens: 0,
      finish: { type: "abort", message: "Abort in waiting queue" },
      completionTokens: 0,
    });
  });

  it("reads the alternatives of a reply", () => {
    const made = generation([9]);
    made.appendSglangReply(reply({ ...twoTokens, output_top_logprobs: [[[-0.5, 11, null]], null] }), 0);
    expect(made.top()).toEqual({ width: 1, ids: ids(-1, 11, -1), logprobs: floats(0, -0.5, 0) });
  });

  it.each([
    ["ERR_REPLY_MALFORMED", Buffer.from("{"), "at byte 1"],
    ["ERR_REPLY_MALFORMED", Buffer.from("[]"), "array"],
    ["ERR_REPLY_MISMATCH", reply({ ...twoTokens, completion_tokens: 3 }), "completion_tokens"],
    ["ERR_REPLY_MISMATCH", reply(twoTokens, [11]), "output_ids"],
    ["ERR_REPLY_NOT_FINITE", reply({ output_token_logprobs: [[null, 1, null]] }), "output token 0"],
  ] as const)("adds no token if a reply is invalid: %s", async (code, body, text) => {
    const made = generation([9]);
    expectCode(code, () => made.appendSglangReply(body, 0), text);
    await expect(made.appendSglangReplyAsync(body, 0)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(text) as string,
    });
    expect(made.ids()).toEqual(ids(9));
  });

  it("reads a large reply on a worker thread, and refuses any use meanwhile", async () => {
    const pairs = Array.from({ length: 50_000 }, (_, id) => [-id / 1024, id, null]);
    const made = generation([9]);
    const reading = made.appendSglangReplyAsync(reply({ output_token_logprobs: pairs }), 6);
    expectCode("ERR_INVALID_ARG", () => made.length);
    expectCode("ERR_INVALID_ARG", () => made.append(ids(1), floats(-1), 0));
    expect(await reading).toEqual({ tokens: 50_000 });
    expect(made.length).toBe(50_001);
    expect(made.ids(50_000)).toEqual(ids(49_999));
    expect(made.versions(50_000)).toEqual(ids(6));
  });

  it("copies a body whose buffer can shrink, instead of reading it in place", async () => {
    const text = reply(twoTokens);
    // Node 20 has resizable buffers, but its type declarations do not.
    const Resizable = ArrayBuffer as new (length: number, options: { maxByteLength: number }) => ArrayBuffer;
    const body = new Uint8Array(new Resizable(text.length, { maxByteLength: text.length }));
    body.set(text);
    const made = new native.Generation();
    await expect(made.appendSglangReplyAsync(body, 0)).rejects.toMatchObject({ code: "ERR_INVALID_ARG" });
    expect(made.appendSglangReply(body, 0)).toMatchObject({ tokens: 2 });
  });

  it("reads replies into many generations concurrently", async () => {
    const made = Array.from({ length: 64 }, () => new native.Generation());
    await Promise.all(made.map((one, version) => one.appendSglangReplyAsync(reply(twoTokens), version)));
    expect(made.map((one) => one.versions()[1])).toEqual(made.map((_, version) => version));
  });
});
