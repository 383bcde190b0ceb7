import { describe, expect, it } from "vitest";
import type { GenerationAnswer } from "../../src/protocols/generation-answer.js";
import { anthropicErrorType } from "../../src/protocols/messages/anthropic-error.js";
import { toMessagesResponse } from "../../src/protocols/messages/response.js";
import { stringify } from "./support/to-text.js";

/** What Anthropic's clients get: why an answer ended, what it cost, the input of a call, the type of an error. */

const ANSWER: GenerationAnswer = {
  interactionId: "msg_1",
  model: "tiny",
  createdAt: 0,
  promptTokens: 11,
  message: { role: "assistant", content: "a" },
  parts: [{ type: "text", text: "a" }],
  finishReason: "stop",
  stopString: undefined,
  completionTokens: 7,
  reasoningTokens: 5,
  cachedTokens: 3,
  tokens: undefined,
};

const shown = (answer: Partial<GenerationAnswer>): unknown =>
  JSON.parse(stringify(toMessagesResponse({ ...ANSWER, ...answer })));

describe("an answer", () => {
  it.each<[Partial<GenerationAnswer>, object]>([
    [{}, { stop_reason: "end_turn", stop_sequence: null }],
    [{ stopString: "END" }, { stop_reason: "stop_sequence", stop_sequence: "END" }],
    [{ finishReason: "length" }, { stop_reason: "max_tokens", stop_sequence: null }],
    [{ finishReason: "tool_calls" }, { stop_reason: "tool_use", stop_sequence: null }],
  ])("says why it ended: %o", (answer, expected) => {
    expect(shown(answer)).toMatchObject(expected);
  });

  it("counts cached tokens apart from the other input tokens", () => {
    expect(shown({})).toMatchObject({
      usage: {
        input_tokens: 8,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 3,
        output_tokens: 7,
        output_tokens_details: { thinking_tokens: 5 },
      },
    });
  });

  it("has the arguments of a call as its input, and an empty input if they are cut off", () => {
    const call = (text: string) => ({ type: "tool_call" as const, id: "c", name: "f", arguments: text });
    expect(shown({ parts: [call('{"x": 1}'), call('{"x": ')] })).toMatchObject({
      content: [{ input: { x: 1 } }, { input: {} }],
    });
  });
});

describe("an error", () => {
  it.each([
    [400, "invalid_request_error"],
    [401, "authentication_error"],
    [403, "permission_error"],
    [404, "not_found_error"],
    [409, "invalid_request_error"],
    [413, "request_too_large"],
    [429, "rate_limit_error"],
    [499, "invalid_request_error"],
    [500, "api_error"],
    [502, "api_error"],
    [503, "overloaded_error"],
    [504, "timeout_error"],
  ])("with status %i has the type %s", (status, type) => {
    expect(anthropicErrorType(status)).toBe(type);
  });
});
