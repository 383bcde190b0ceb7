import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toChatCompletion } from "../../src/protocols/chat-completions/response.js";
import type { GenerationAnswer } from "../../src/protocols/generation-answer.js";
import type { RecordedTokens } from "../../src/protocols/logprobs.js";
import { LongJson, PIECE_LENGTH } from "../../src/protocols/long-json.js";
import { toMessagesResponse } from "../../src/protocols/messages/response.js";
import type { OutputPart } from "../../src/protocols/output-parts.js";
import { InsertedJson, RawJson, writeJson } from "../../src/protocols/raw-json.js";
import { responsesSchema } from "../../src/protocols/responses/request.js";
import { toEcho, toResponseBody } from "../../src/protocols/responses/response.js";
import { ResponsesStream } from "../../src/protocols/responses/stream.js";
import { TokenJson } from "../../src/protocols/token-json.js";
import { outputs } from "./support/random-outputs.js";
import { stringify, toText } from "./support/to-text.js";

/** Answers that are too long for one string have the same bytes as `JSON.stringify` writes. */

const TEXTS = ['"', "\\", "\n", "\u0000", "é", "😀", "\ud83d", "\u2028", "</script>", " the", ""];
const encoder = new TextEncoder();
const tokenText = (id: number) => TEXTS[id % TEXTS.length] ?? "";
const tokenBytes = (id: number) => (id % 2 === 0 ? encoder.encode(tokenText(id)) : Uint8Array.of(id, 0xff));
const tokenJson = new TokenJson({ tokenText, tokenBytes });

const logprob = fc.oneof(
  fc.float({ max: 0, noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, -1e-45, -3.4e38, Number.NEGATIVE_INFINITY),
);
const id = fc.nat(40);

/** Tokens with alternatives, of which some places are not used. `long` ones repeat until they need several pieces. */
const runOf = (long: boolean): fc.Arbitrary<RecordedTokens> =>
  fc
    .tuple(
      fc.array(fc.tuple(id, logprob), { minLength: 1, maxLength: 8 }),
      fc.nat(3),
      fc.array(fc.tuple(fc.integer({ min: -1, max: 40 }), logprob), { minLength: 24, maxLength: 24 }),
    )
    .map(([tokens, width, places]) => {
      const count = tokens.length * (long ? 1500 : 1);
      const pick = <T>(list: readonly T[], i: number) => list[i % list.length] as T;
      const top = {
        width,
        ids: Int32Array.from({ length: count * width }, (_, i) => pick(places, i)[0]),
        logprobs: Float32Array.from({ length: count * width }, (_, i) => pick(places, i)[1]),
      };
      return {
        ids: Int32Array.from({ length: count }, (_, i) => pick(tokens, i)[0]),
        logprobs: Float32Array.from({ length: count }, (_, i) => pick(tokens, i)[1]),
        top: width > 0 ? top : undefined,
        tokenJson,
      };
    });

/** Random answers with log probabilities for all tokens and for each text. */
const answersOf = (long: boolean): fc.Arbitrary<GenerationAnswer> =>
  fc.tuple(outputs, fc.array(runOf(long), { minLength: 1, maxLength: 3 })).map(([{ answer }, runs]) => ({
    ...answer,
    tokens: runs[0],
    parts: answer.parts.map((part) => (part.type === "text" ? { ...part, logprobs: runs } : part)),
  }));

/** The entries as plain objects. */
function toEntries(runs: readonly RecordedTokens[]): object[] {
  const entry = (token: number, value = 0) => ({
    token: tokenText(token),
    logprob: value,
    bytes: [...tokenBytes(token)],
  });
  return runs.flatMap(({ ids, logprobs, top }) =>
    Array.from(ids, (token, i) => {
      const { width, ids: others, logprobs: values } = top ?? { width: 0, ids: [], logprobs: [] };
      const alternatives = Array.from({ length: width }, (_, k) => i * width + k).filter((k) => (others[k] ?? -1) >= 0);
      return {
        ...entry(token, logprobs[i]),
        top_logprobs: alternatives.map((k) => entry(others[k] ?? 0, values[k])),
      };
    }),
  );
}

const toRaw = (runs: readonly RecordedTokens[]) => new RawJson(JSON.stringify(toEntries(runs)));

const toRawPart = (part: OutputPart): OutputPart =>
  part.type === "text" && part.logprobs && !(part.logprobs instanceof RawJson)
    ? { ...part, logprobs: toRaw(part.logprobs) }
    : part;

/** Writes like `JSON.stringify`, and raw values verbatim. */
function writePlain(value: unknown): string {
  if (value instanceof InsertedJson) return [...value.pieces()].join("");
  if (Array.isArray(value)) return `[${value.map(writePlain).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${writePlain(field)}`).join(",")}}`;
}

const echo = toEcho(responsesSchema.parse({ input: 'hello "\u2028"' }));

const PROTOCOLS: Record<string, (answer: GenerationAnswer) => [actual: string, expected: string]> = {
  "chat completions": (answer) => {
    const { tokens = { ids: new Int32Array(), logprobs: new Float32Array(), top: undefined, tokenJson } } = answer;
    const body = toChatCompletion(answer);
    const choices = body.choices.map((choice) => ({
      ...choice,
      logprobs: { content: toRaw([tokens]), refusal: null },
    }));
    return [stringify(body), writePlain({ ...body, choices })];
  },
  responses: (answer) => {
    const plain = { ...answer, parts: answer.parts.map(toRawPart) };
    return [stringify(toResponseBody(answer, echo)), writePlain(toResponseBody(plain, echo))];
  },
  messages: (answer) => [stringify(toMessagesResponse(answer)), writePlain(toMessagesResponse(answer))],
};

describe.each(Object.entries(PROTOCOLS))("an answer of %s", (_, write) => {
  it.each([
    ["short", false, 100],
    ["long", true, 8],
  ])("has the bytes of JSON.stringify (%s)", (_length, long, numRuns) => {
    fc.assert(
      fc.property(answersOf(long), (answer) => {
        const [actual, expected] = write(answer);
        expect(actual === expected).toBe(true);
      }),
      { numRuns },
    );
  });
});

const LONG_RUN = fc.sample(runOf(true), { numRuns: 1, seed: 4 })[0] as RecordedTokens;
const LONG_ANSWER: GenerationAnswer = {
  interactionId: "resp_1",
  model: "tiny",
  createdAt: 0,
  promptTokens: 1,
  message: { role: "assistant", content: "x" },
  parts: [{ type: "text", text: "x", logprobs: [LONG_RUN, LONG_RUN] }],
  finishReason: "stop",
  stopString: undefined,
  completionTokens: 2,
  reasoningTokens: 0,
  cachedTokens: 0,
  tokens: LONG_RUN,
};

describe("a long answer", () => {
  it("has pieces of bounded length", () => {
    const json = writeJson(toResponseBody(LONG_ANSWER, echo));
    expect(json).toBeInstanceOf(LongJson);
    const lengths = Array.from((json as LongJson).pieces(), ({ length }) => length);
    expect(lengths.length).toBeGreaterThan(10);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(PIECE_LENGTH);
    expect((json as LongJson).memory).toBeLessThan(stringify(toResponseBody(LONG_ANSWER, echo)).length / 5);
  });

  it("is the same in the closing event of a stream", () => {
    const stream = new ResponsesStream(echo);
    stream.start(LONG_ANSWER);
    stream.push([{ type: "text", text: "x", logprobs: [LONG_RUN, LONG_RUN] }]);
    const closing = stream.finish(LONG_ANSWER);
    expect(closing).toBeInstanceOf(LongJson);
    expect(toText(closing).endsWith(`,"response":${stringify(toResponseBody(LONG_ANSWER, echo))}}\n\n`)).toBe(true);
  });
});
