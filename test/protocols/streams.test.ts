import { MessageStream } from "@anthropic-ai/sdk/lib/MessageStream";
import type { RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages";
import fc from "fast-check";
import { ChatCompletionStream as SdkChatStream } from "openai/lib/ChatCompletionStream";
import { accumulateResponse } from "openai/lib/responses/ResponseAccumulator";
import type { ChatCompletionChunk } from "openai/resources/chat/completions";
import type { Response, ResponseStreamEvent } from "openai/resources/responses/responses";
import { describe, expect, it } from "vitest";
import { chatCompletionResponseSchema, toChatCompletion } from "../../src/protocols/chat-completions/response.js";
import { ChatCompletionStream } from "../../src/protocols/chat-completions/stream.js";
import {
  type MessagesResponse,
  messagesResponseSchema,
  toMessagesResponse,
} from "../../src/protocols/messages/response.js";
import { MessagesStream } from "../../src/protocols/messages/stream.js";
import type { AnswerEvent } from "../../src/protocols/output-parts.js";
import { responsesSchema } from "../../src/protocols/responses/request.js";
import { responseSchema, toEcho, toResponseBody } from "../../src/protocols/responses/response.js";
import { ResponsesStream } from "../../src/protocols/responses/stream.js";
import { TokenJson } from "../../src/protocols/token-json.js";
import { readData } from "../helpers/sse.js";
import { asLines, encode } from "./support/encode.js";
import { outputs } from "./support/random-outputs.js";
import { stringify, toText } from "./support/to-text.js";

/** The official SDKs collect a stream into the same answer that is sent without streaming. */

const echo = toEcho(responsesSchema.parse({ input: "hello" }));

describe("a stream that the official SDK collects", () => {
  it("equals the answer without streaming: chat completions", async () => {
    await fc.assert(
      fc.asyncProperty(outputs, async (output) => {
        const chunks = encode<ChatCompletionChunk>(
          new ChatCompletionStream({ includeUsage: true, logprobs: true, tokenIds: false }),
          output,
        );
        const streamed = await SdkChatStream.fromReadableStream(asLines(chunks)).finalChatCompletion();
        const whole = toChatCompletion(output.answer);
        const [choice] = streamed.choices;
        const [wholeChoice] = whole.choices;
        expect(streamed).toMatchObject({
          id: whole.id,
          model: whole.model,
          created: whole.created,
          usage: whole.usage,
        });
        expect(choice?.finish_reason).toBe(wholeChoice?.finish_reason);
        expect(choice?.message.content || null).toBe(wholeChoice?.message.content || null);
        expect(
          choice?.message.tool_calls?.map(({ id, type, function: call }) => ({
            id,
            type,
            function: { name: call.name, arguments: call.arguments },
          })),
        ).toEqual(wholeChoice?.message["tool_calls"]);
        const reasoning = chunks.map(
          (chunk) => (chunk.choices[0]?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ?? "",
        );
        expect(reasoning.join("")).toBe(output.answer.message.reasoning ?? "");
      }),
    );
  });

  it("equals the answer without streaming: responses", () => {
    fc.assert(
      fc.property(outputs, (output) => {
        const events = encode<ResponseStreamEvent>(new ResponsesStream(echo), output);
        let before: Response | undefined;
        let response: Response | undefined;
        for (const event of events) {
          if (event.type !== "response.completed" && event.type !== "response.incomplete") before = undefined;
          before ??= response;
          response = accumulateResponse(event, response);
        }
        const whole = JSON.parse(stringify(toResponseBody(output.answer, echo))) as Response;
        expect(before?.output).toEqual(whole.output);
        expect(JSON.parse(JSON.stringify(response))).toMatchObject(whole);
        expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, i) => i));
      }),
    );
  });

  it("equals the answer without streaming: messages", async () => {
    await fc.assert(
      fc.asyncProperty(outputs, async (output) => {
        const events = encode<RawMessageStreamEvent>(new MessagesStream(), output).filter(
          (event) => (event.type as string) !== "ping",
        );
        const streamed = await MessageStream.fromReadableStream(asLines(events)).finalMessage();
        const whole = JSON.parse(stringify(toMessagesResponse(output.answer))) as MessagesResponse;
        expect(streamed).toMatchObject(whole);
        expect(streamed.content).toEqual(whole.content);
      }),
    );
  });
});

it("an answer has the documented fields and values", () => {
  fc.assert(
    fc.property(outputs, ({ answer }) => {
      for (const [schema, body] of [
        [chatCompletionResponseSchema, toChatCompletion(answer)],
        [responseSchema, toResponseBody(answer, echo)],
        [messagesResponseSchema, toMessagesResponse(answer)],
      ] as const) {
        const sent = JSON.parse(stringify(body)) as object;
        expect(schema.parse(sent)).toEqual(sent);
      }
    }),
  );
});

describe("a chunk of chat completions", () => {
  const tokens = {
    ids: Int32Array.of(7),
    logprobs: Float32Array.of(-0.5),
    top: undefined,
    tokenJson: new TokenJson({ tokenText: () => "t", tokenBytes: () => Uint8Array.of(116) }),
  };
  const push = (tokenIds: boolean, events: readonly AnswerEvent[], recorded?: typeof tokens, index?: number) => {
    const encoder = new ChatCompletionStream({ includeUsage: false, logprobs: true, tokenIds });
    encoder.start({ interactionId: "resp_0", model: "tiny", createdAt: 0, promptTokens: 1 });
    const chunks = readData<ChatCompletionChunk>(toText(encoder.push(events, recorded, index)));
    return chunks.flatMap(({ choices }) => choices);
  };

  it("has the tokens also if they add no text", () => {
    const [chunk, ...more] = push(false, [], tokens, 1);
    expect(more).toEqual([]);
    expect(chunk).toMatchObject({ index: 1, delta: {}, logprobs: { content: [{ token: "t", logprob: -0.5 }] } });
    expect(push(false, [])).toEqual([]);
  });

  it("has the tokens of its text once", () => {
    const events = [
      { type: "reasoning", text: "a" },
      { type: "text", text: "b" },
    ] as const;
    const chunks = push(true, events, tokens);
    expect(chunks.map(({ index }) => index)).toEqual([0, 0]);
    expect(chunks.map((chunk) => "token_ids" in chunk)).toEqual([true, false]);
  });
});

describe("a stream that fails", () => {
  const failure = { message: "it broke", status: 502, type: "server_error", code: "engine_error", param: null };
  const start = { interactionId: "msg_0", model: "tiny", createdAt: 0, promptTokens: 1 };

  it.each([
    [
      "chat completions",
      () => new ChatCompletionStream({ includeUsage: false, logprobs: false, tokenIds: false }),
      /^data: {"error":{"message":"it broke"/,
    ],
    ["responses", () => new ResponsesStream(echo), /^event: response\.failed\n.*\n\nevent: error\n/],
    ["messages", () => new MessagesStream(), /^event: error\ndata: {"type":"error","error":{"type":"api_error"/],
  ])("sends an error in the form of its protocol: %s", (_, createEncoder, expected) => {
    const encoder = createEncoder();
    encoder.start(start);
    expect(encoder.fail(failure)).toMatch(expected);
  });
});
