import { describe, expect, it } from "vitest";
import { native } from "../../src/native/addon.js";
import { expectCode, floats, generation, ids, withAny } from "./support.js";

function event(start: number, end: number, finish: object | null): Buffer {
  const entries = Array.from({ length: end - start }, (_, index) => [-(start + index + 1) / 8, start + index, null]);
  const meta_info = {
    id: "r-1",
    finish_reason: finish,
    prompt_tokens: 7,
    completion_tokens: end,
    weight_version: "4",
    output_token_logprobs: entries,
    output_token_logprobs_length: end,
  };
  return Buffer.from(`data: ${JSON.stringify({ meta_info })}\n\n`);
}

const DONE = Buffer.from("data: [DONE]\n\n");
const LENGTH = { type: "length", length: 3 };

describe("a native reply stream", () => {
  it("adds the tokens of each complete frame, and returns the fields of the frames", () => {
    const into = generation([50]);
    const stream = new native.ReplyStream("sglang", into, 9, 0);
    const first = event(0, 2, null);
    expect(stream.push(first.subarray(0, 40))).toBe(0);
    expect(stream.push(Buffer.concat([first.subarray(40), event(2, 3, LENGTH)]))).toBe(3);
    expect(stream.push(DONE)).toBe(0);
    expect(stream.end()).toEqual({
      tokens: 3,
      id: "r-1",
      finish: { type: "length" },
      promptTokens: 7,
      completionTokens: 3,
      versions: { naming: "reply", highest: 4, first: 4, last: 4, firstCount: 2, mixed: false, saysDefault: false },
    });
    expect(into.ids()).toEqual(ids(50, 0, 1, 2));
    expect(into.logprobs(1)).toEqual(floats(-0.125, -0.25, -0.375));
    expect(into.versions(1)).toEqual(ids(4, 4, 4));
  });

  it("keeps topLogprobs alternatives of vLLM's frames", () => {
    const into = new native.Generation();
    const stream = new native.ReplyStream("vllm", into, 9, 1);
    const top = [
      { token_id: 5, logprob: -2 },
      { token_id: 6, logprob: -0.25 },
    ];
    const logprobs = { content: [{ token_id: 5, logprob: -2, top_logprobs: top }] };
    const choice = { token_ids: [5], logprobs, finish_reason: "stop", stop_reason: 5 };
    stream.push(Buffer.from(`data: ${JSON.stringify({ choices: [choice] })}\n\ndata: [DONE]\n\n`));
    expect(stream.end()).toEqual({ tokens: 1, finish: { type: "stop", matched: 5 } });
    expect(into.top()).toEqual({ width: 1, ids: ids(6), logprobs: floats(-0.25) });
    expect(into.versions()).toEqual(ids(9));
  });

  it("returns the error that a stream reports", () => {
    const stream = new native.ReplyStream("sglang", new native.Generation(), 0, 0);
    stream.push(Buffer.from('data: {"error":{"message":"out of memory"}}\n\n'));
    expect(stream.end()).toEqual({ tokens: 0, error: { message: "out of memory" } });
  });

  it("throws the same codes as a whole reply", () => {
    const open = () => new native.ReplyStream("sglang", new native.Generation(), 0, 0);
    expectCode("ERR_REPLY_MALFORMED", () => open().push(Buffer.from("data: {]\n\n")));
    expectCode("ERR_REPLY_MISMATCH", () => open().push(event(1, 3, null)));
    expectCode("ERR_REPLY_MALFORMED", () => open().end());
    const text = event(0, 1, null).toString().replace("-0.125", "NaN");
    expectCode("ERR_REPLY_NOT_FINITE", () => open().push(Buffer.from(text)));
  });

  it("refuses wrong arguments", () => {
    const into = new native.Generation();
    expectCode("ERR_INVALID_ARG", () => new native.ReplyStream(withAny("other"), into, 0, 0));
    expectCode("ERR_INVALID_ARG", () => new native.ReplyStream("sglang", withAny({}), 0, 0));
    expectCode("ERR_INVALID_ARG", () => new native.ReplyStream("sglang", into, 0.5, 0));
    expectCode("ERR_INVALID_ARG", () => new native.ReplyStream("vllm", into, 0, -1));
    const stream = new native.ReplyStream("sglang", into, 0, 0);
    expectCode("ERR_INVALID_ARG", () => stream.push(withAny("data: {}")));
  });
});

describe("a native generation with a reply of vLLM", () => {
  const body = Buffer.from(
    JSON.stringify({
      id: "cmpl-1",
      choices: [
        {
          token_ids: [11, 12],
          finish_reason: "length",
          logprobs: { tokens: ["token_id:11", "token_id:12"], token_logprobs: [-0.5, -0.25] },
        },
      ],
      usage: { prompt_tokens: 7, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 3 } },
    }),
  );

  it("has the tokens of a whole reply, read on this or on a worker thread", async () => {
    const [here, there] = [new native.Generation(), new native.Generation()];
    const said = here.appendVllmReply(body, 4, 0);
    expect(said).toEqual({
      tokens: 2,
      id: "cmpl-1",
      finish: { type: "length" },
      promptTokens: 7,
      completionTokens: 2,
      cachedTokens: 3,
    });
    expect(await there.appendVllmReplyAsync(body, 4, 0)).toEqual(said);
    for (const made of [here, there]) {
      expect([made.ids(), made.logprobs(), made.versions()]).toEqual([ids(11, 12), floats(-0.5, -0.25), ids(4, 4)]);
    }
  });

  it("can be truncated", () => {
    const made = generation([1, 2, 3]);
    made.truncate(1, 1);
    expect(made.ids()).toEqual(ids(1));
    expectCode("ERR_INVALID_ARG", () => made.truncate(2, 1));
  });
});
