import { describe, expect, it } from "vitest";
import type { RecordedTokens } from "../../src/protocols/logprobs.js";
import { responsesSchema } from "../../src/protocols/responses/request.js";
import { toEcho } from "../../src/protocols/responses/response.js";
import type { TokenJson } from "../../src/protocols/token-json.js";
import { decodeResponse, encodeResponse, type StoredResponse } from "../../src/server/memory/response-record.js";
import { runAtOnce } from "../../src/support/async/steps.js";
import { toText } from "../protocols/support/to-text.js";

/** A response of the Responses API, as a storage keeps it. */

const TOKEN_JSON = {} as TokenJson;
const TOOLS = [{ type: "function", name: "f", parameters: { type: "object" } }];

const tokens = (...ids: number[]): RecordedTokens => ({
  ids: Int32Array.from(ids),
  logprobs: Float32Array.from(ids, (id) => -id),
  top: undefined,
  tokenJson: TOKEN_JSON,
});
const top = { width: 2, ids: Int32Array.of(1, 2, 3, 4), logprobs: Float32Array.of(-1, -2, -3, -4) };

const RESPONSE = {
  answer: {
    interactionId: "resp_1",
    model: "tiny",
    createdAt: 1,
    promptTokens: 2,
    message: { role: "assistant", content: "ab" },
    parts: [
      { type: "reasoning", text: "é" },
      { type: "text", text: "ab", logprobs: [tokens(5), { ...tokens(6, 7), top }, tokens()] },
    ],
    finishReason: "stop",
    stopString: undefined,
    completionTokens: 3,
    reasoningTokens: 0,
    cachedTokens: 0,
    tokens: undefined,
  },
  echo: toEcho(responsesSchema.parse({ input: "a", tools: TOOLS })),
  hasTokenIds: true,
} as unknown as StoredResponse;

function encode(response: StoredResponse, earlier?: { tools: string; index: number }) {
  const { text, tools } = encodeResponse(response, earlier);
  return { bytes: Buffer.from(toText(text)), tools };
}

describe("a stored response", () => {
  it("is read as it was written, with the tokens of each run and the message of its interaction", () => {
    const { bytes } = encode(RESPONSE);
    const read = runAtOnce(
      decodeResponse(
        bytes,
        RESPONSE.answer.message,
        () => {
          throw new Error("it has its own tools");
        },
        TOKEN_JSON,
      ),
    );
    expect(read).toEqual(RESPONSE);
    expect(bytes.toString()).not.toContain("assistant");
  });

  it("refers to the same tools of an earlier response instead of repeating them", () => {
    const first = encode(RESPONSE);
    const second = encode(RESPONSE, { tools: first.tools, index: 4 });
    expect(second.bytes.length).toBeLessThan(first.bytes.length);
    const asked: number[] = [];
    function* readEarlier(index: number) {
      asked.push(index);
      yield;
      return first.bytes;
    }
    expect(
      runAtOnce(decodeResponse(second.bytes, RESPONSE.answer.message, readEarlier, TOKEN_JSON)).echo.tools,
    ).toEqual(TOOLS);
    expect(asked).toEqual([4]);
  });

  it("has no tools if the earlier response is gone", () => {
    const { bytes } = encode(RESPONSE, { tools: encode(RESPONSE).tools, index: 4 });
    function* gone() {
      yield;
      return undefined;
    }
    expect(runAtOnce(decodeResponse(bytes, RESPONSE.answer.message, gone, TOKEN_JSON)).echo.tools).toEqual([]);
  });
});
