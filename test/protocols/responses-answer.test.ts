import { describe, expect, it } from "vitest";
import type { GenerationAnswer } from "../../src/protocols/generation-answer.js";
import { listNamedResponses, responsesSchema } from "../../src/protocols/responses/request.js";
import { emptyResponse, toEcho, toResponseBody } from "../../src/protocols/responses/response.js";
import { stringify } from "./support/to-text.js";

/** Answers of the Responses API: the request's own fields, how the answer ended, and its usage. */

const ANSWER: GenerationAnswer = {
  interactionId: "resp_1",
  model: "tiny",
  createdAt: 1999,
  promptTokens: 11,
  message: { role: "assistant", content: "ab" },
  parts: [
    { type: "reasoning", text: "r" },
    { type: "text", text: "ab" },
  ],
  finishReason: "stop",
  stopString: undefined,
  completionTokens: 7,
  reasoningTokens: 5,
  cachedTokens: 3,
  tokens: undefined,
};

const echoOf = (request: object) => toEcho(responsesSchema.parse({ input: "a", ...request }));
const shown = (answer: Partial<GenerationAnswer>, request: object = {}) =>
  JSON.parse(stringify(toResponseBody({ ...ANSWER, ...answer }, echoOf(request)))) as {
    status: string;
    output: { type: string; status?: string }[];
  };

describe("a response", () => {
  it("has its id, the second of its request, and what it cost", () => {
    expect(shown({})).toMatchObject({
      id: "resp_1",
      object: "response",
      created_at: 1,
      status: "completed",
      error: null,
      incomplete_details: null,
      usage: {
        input_tokens: 11,
        input_tokens_details: { cached_tokens: 3 },
        output_tokens: 7,
        output_tokens_details: { reasoning_tokens: 5 },
        total_tokens: 18,
      },
    });
  });

  it("is incomplete if it was cut off, and so is its last item", () => {
    const { status, output, ...rest } = shown({ finishReason: "length" });
    expect(rest).toMatchObject({ incomplete_details: { reason: "max_output_tokens" } });
    expect([status, output.map((item) => [item.type, item.status])]).toEqual([
      "incomplete",
      [
        ["reasoning", "completed"],
        ["message", "incomplete"],
      ],
    ]);
  });

  it("has no output and no usage while it is in progress", () => {
    expect(emptyResponse(ANSWER, echoOf({}))).toMatchObject({
      status: "in_progress",
      output: [],
      usage: null,
      incomplete_details: null,
    });
  });

  it("repeats the fields of its request, or their defaults", () => {
    expect(echoOf({})).toEqual({
      instructions: null,
      previous_response_id: null,
      max_output_tokens: null,
      metadata: {},
      parallel_tool_calls: true,
      reasoning: { effort: null, summary: null },
      store: true,
      temperature: 1,
      text: { format: { type: "text" } },
      tool_choice: "auto",
      tools: [],
      top_logprobs: 0,
      top_p: 1,
      truncation: "disabled",
    });
    const own = {
      instructions: "Be short.",
      previous_response_id: "resp_0",
      max_output_tokens: 16,
      metadata: { a: "b" },
      parallel_tool_calls: true,
      store: false,
      temperature: 0.5,
      top_logprobs: 2,
      top_p: 0.5,
    };
    expect(echoOf({ ...own, reasoning: { effort: "low" } })).toMatchObject({
      ...own,
      reasoning: { effort: "low", summary: null },
    });
  });
});

describe("a request of the Responses API", () => {
  it("names the response that it continues, and those of the items that it refers to", () => {
    const named = (request: object) => listNamedResponses(responsesSchema.parse({ input: "a", ...request }));
    expect(named({})).toEqual([]);
    expect(named({ previous_response_id: "resp_0a" })).toEqual(["resp_0a"]);
    const input = [
      { type: "item_reference", id: "msg_0b_1" },
      { type: "message", role: "assistant", id: "msg_0c_0", content: [{ type: "output_text", text: "a" }] },
      { type: "item_reference", id: "no item" },
    ];
    expect(named({ previous_response_id: "resp_0a", input })).toEqual(["resp_0a", "resp_0b"]);
  });
});
