import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { googleStatus, toGoogleError } from "../../../src/protocols/generate-content/google-error.js";
import {
  type GenerateContentResponse,
  toGenerateContentResponse,
} from "../../../src/protocols/generate-content/response.js";
import { type Framing, GenerateContentStream } from "../../../src/protocols/generate-content/stream.js";
import type { RecordedTokens } from "../../../src/protocols/logprobs.js";
import { signReasoning } from "../../../src/protocols/reasoning-signature.js";
import { TokenJson } from "../../../src/protocols/token-json.js";
import { readData } from "../../helpers/sse.js";
import { type Output, outputs } from "../support/random-outputs.js";
import { stringify, toText } from "../support/to-text.js";

/** Gemini's answers: whole, and as streams in both framings. */

type Part = GenerateContentResponse["candidates"][number]["content"]["parts"][number];

/** Returns what an encoder writes for an output, with keep-alives between all texts. */
function write(encoder: GenerateContentStream, { groups, answer }: Output): string {
  const pushed = groups.map((events) => () => encoder.push(events, undefined));
  const texts = [() => encoder.start(answer), ...pushed, () => encoder.finish(answer)].map((next) => toText(next()));
  return texts.join(encoder.keepAlive);
}

const READERS: Readonly<Record<Framing, (text: string) => GenerateContentResponse[]>> = {
  sse: (text) => readData(text),
  array: (text) => JSON.parse(text) as GenerateContentResponse[],
};

/** Joins texts of the same kind. The empty text that ends an answer disappears; its signature is that of the answer. */
function joinParts(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const { thoughtSignature: _, ...part } of parts) {
    const last = joined.at(-1);
    if (part.text === "") continue;
    if (part.text !== undefined && last?.text !== undefined && last.thought === part.thought) {
      joined[joined.length - 1] = { ...last, text: last.text + part.text };
    } else joined.push(part);
  }
  return joined;
}

const readWhole = (answer: Output["answer"], thoughts: boolean) =>
  JSON.parse(stringify(toGenerateContentResponse(answer, thoughts))) as GenerateContentResponse;

function callOf(args: string) {
  return [
    { type: "tool_call", index: 0, id: "call_0", name: "f" },
    { type: "tool_call_arguments", index: 0, text: args },
  ] as const;
}

const answerOf = (parts: Output["answer"]["parts"]): Output["answer"] => ({
  interactionId: "gen_1",
  model: "tiny",
  createdAt: 0,
  promptTokens: 11,
  message: { role: "assistant", content: "" },
  parts,
  finishReason: "length",
  stopString: undefined,
  completionTokens: 7,
  reasoningTokens: 5,
  cachedTokens: 3,
  tokens: undefined,
});

describe.each<Framing>(["sse", "array"])("a stream as %s", (framing) => {
  it.each([true, false])("equals the whole answer, whatever the chunks (thoughts: %s)", (thoughts) => {
    fc.assert(
      fc.property(outputs, (output) => {
        const chunks = READERS[framing](write(new GenerateContentStream(framing, thoughts), output));
        const whole = readWhole(output.answer, thoughts);
        const parts = chunks.flatMap(({ candidates }) => candidates[0]?.content.parts ?? []);
        expect(joinParts(parts)).toEqual(joinParts(whole.candidates[0]?.content.parts ?? []));
        expect(parts.every((part) => Object.keys(part).length > 0)).toBe(true);
        expect(chunks.every(({ candidates }) => (candidates[0]?.content.parts.length ?? 0) > 0)).toBe(true);
        const last = chunks.at(-1);
        expect(last?.usageMetadata).toEqual(whole.usageMetadata);
        expect(last?.candidates[0]?.finishReason).toBe(whole.candidates[0]?.finishReason);
        expect(chunks.slice(0, -1).flatMap(({ candidates }) => candidates[0]?.finishReason ?? [])).toEqual([]);
        for (const { responseId, modelVersion } of chunks) {
          expect([responseId, modelVersion]).toEqual([whole.responseId, whole.modelVersion]);
        }
      }),
    );
  });

  it("signs calls, the first of consecutive thoughts, and the end", () => {
    fc.assert(
      fc.property(outputs, (output) => {
        const chunks = READERS[framing](write(new GenerateContentStream(framing, true), output));
        const parts = chunks.flatMap(({ candidates }) => candidates[0]?.content.parts ?? []);
        const expected = parts.map(
          (part, i) =>
            part.functionCall !== undefined ||
            i === parts.length - 1 ||
            (part.thought === true && !parts[i - 1]?.thought),
        );
        expect(parts.map((part) => part.thoughtSignature !== undefined)).toEqual(expected);
        const signature = signReasoning(output.answer.interactionId);
        expect(new Set(parts.flatMap((part) => part.thoughtSignature ?? []))).toEqual(new Set([signature]));
      }),
    );
  });

  it.each([
    ["a text", { type: "text", text: "a" }, { text: "a" }],
    ["a thought", { type: "reasoning", text: "a" }, { text: "a", thought: true }],
    ["another call", { type: "tool_call", index: 1, id: "call_1", name: "g" }, { functionCall: { name: "g" } }],
  ] as const)("has a call whose arguments stay incomplete before %s", (_, event, part) => {
    const encoder = new GenerateContentStream(framing, true);
    const answer = answerOf([]);
    const texts = [encoder.start(answer), encoder.push([...callOf('{"n":'), event], undefined), encoder.finish(answer)];
    const chunks = READERS[framing](texts.map(toText).join(""));
    const parts = chunks.flatMap(({ candidates }) => candidates[0]?.content.parts ?? []);
    expect(parts.slice(0, 2)).toMatchObject([{ functionCall: { name: "f", args: {} } }, part]);
  });

  it("ends with an error in Google's form if it fails", () => {
    const failure = { message: "it broke", status: 502, type: "server_error", code: "engine_error", param: null };
    const start = { interactionId: "gen_0", model: "tiny", createdAt: 0, promptTokens: 1 };
    for (const events of [[], [{ type: "text", text: "a" } as const]]) {
      const encoder = new GenerateContentStream(framing, false);
      const texts = [encoder.start(start), encoder.push(events, undefined), encoder.fail(failure)];
      const chunks = READERS[framing](texts.map(toText).join("")) as unknown[];
      expect(chunks).toHaveLength(events.length + 1);
      expect(chunks.at(-1)).toMatchObject({ error: { code: 502, message: "it broke", status: "UNAVAILABLE" } });
    }
  });
});

/** Whatever a client takes for the end of a line: those of JavaScript's `.`, and those of Python's `str.splitlines`. */
const LINE_ENDS = "\n\r\u000b\u000c\u001c\u001d\u001e\u0085\u2028\u2029";

describe("an event of a stream", () => {
  const start = { interactionId: "gen_0", model: "tiny", createdAt: 0, promptTokens: 1 };
  const text = LINE_ENDS;
  const args = JSON.stringify({ text }, null, "\r\n\t").replace("{", "{\n");

  it.each([
    ["a text", [{ type: "text", text }], { text }],
    ["a thought", [{ type: "reasoning", text }], { text, thought: true }],
    ["arguments", callOf(args), { functionCall: { args: { text } } }],
    ["long arguments", callOf(`${args}${"\n".repeat(400_000)}`), { functionCall: { args: { text } } }],
  ] as const)("is one line, whatever the line ends in %s", (_, events, part) => {
    const encoder = new GenerateContentStream("sse", true);
    encoder.start(start);
    const event = toText(encoder.push(events, undefined));
    expect(event).toMatch(/\n\n$/);
    expect(Array.from(LINE_ENDS).filter((end) => event.slice(0, -2).includes(end))).toEqual([]);
    expect(readData(event)).toMatchObject([{ candidates: [{ content: { parts: [part] } }] }]);
  });
});

describe("an answer", () => {
  const signature = signReasoning("gen_1");

  it("says how many tokens it took, and why it ended", () => {
    expect(readWhole(answerOf([{ type: "text", text: "a" }]), false)).toEqual({
      candidates: [
        {
          content: { role: "model", parts: [{ text: "a", thoughtSignature: signature }] },
          index: 0,
          finishReason: "MAX_TOKENS",
          interactionId: "gen_1",
        },
      ],
      usageMetadata: {
        promptTokenCount: 11,
        candidatesTokenCount: 2,
        thoughtsTokenCount: 5,
        cachedContentTokenCount: 3,
        totalTokenCount: 18,
      },
      modelVersion: "tiny",
      responseId: "gen_1",
    });
  });

  it.each([
    ["nothing", [], true],
    ["thoughts that the client does not want", [{ type: "reasoning", text: "hm" }], false],
  ] as const)("of %s has a signed, empty text", (_, parts, thoughts) => {
    const { candidates } = readWhole(answerOf(parts), thoughts);
    expect(candidates[0]?.content.parts).toEqual([{ text: "", thoughtSignature: signature }]);
  });

  it("has arguments as the model wrote them, and none if they are incomplete", () => {
    const call = (text: string) => ({ type: "tool_call", id: "1", name: "f", arguments: text }) as const;
    const text = stringify(toGenerateContentResponse(answerOf([call('{"n":1.0}'), call('{"n":')]), false));
    expect(text).toContain('"args":{"n":1.0}}');
    expect(text).toContain('"args":{}}');
  });
});

describe("log probabilities", () => {
  const tokenJson = new TokenJson({ tokenText: (id) => `"${id}`, tokenBytes: () => new Uint8Array() });
  const top = { width: 2, ids: Int32Array.of(1, 2, 3, -1), logprobs: Float32Array.of(-1, -2, -3, 0) };
  const run = (extra: Partial<RecordedTokens> = {}): RecordedTokens => ({
    ids: Int32Array.of(1, 3),
    logprobs: Float32Array.of(-1, -3),
    top: undefined,
    tokenJson,
    ...extra,
  });
  const entry = (id: number) => ({ token: `"${id}`, tokenId: id, logProbability: -id });

  it("have one entry per token, its alternatives, and their average", () => {
    const [output] = fc.sample(outputs, 1);
    if (!output) throw new Error("no sample");
    const whole = toGenerateContentResponse({ ...output.answer, tokens: run({ top }) }, false);
    const [candidate] = (JSON.parse(stringify(whole)) as GenerateContentResponse).candidates;
    expect(candidate?.avgLogprobs).toBe(-2);
    expect(candidate?.logprobsResult).toEqual({
      chosenCandidates: [entry(1), entry(3)],
      topCandidates: [{ candidates: [entry(1), entry(2)] }, { candidates: [entry(3)] }],
    });
  });

  it("come with the next part of a stream, and their average at its end", () => {
    const [output] = fc.sample(outputs, 1);
    if (!output) throw new Error("no sample");
    const encoder = new GenerateContentStream("sse", false);
    const texts = [
      encoder.start(output.answer),
      encoder.push([{ type: "reasoning", text: "hm" }], run()),
      encoder.push([{ type: "text", text: "a" }], run()),
      encoder.push([], run()),
      encoder.finish(output.answer),
    ];
    const chunks = readData<GenerateContentResponse>(texts.map(toText).join(""));
    const candidates = chunks.map((chunk) => chunk.candidates[0]);
    const counts = candidates.map((each) => Object.keys(each?.logprobsResult?.chosenCandidates ?? {}).length);
    expect(counts).toEqual([4, 2]);
    expect(candidates.map((each) => each?.avgLogprobs)).toEqual([undefined, -2]);
  });
});

describe("an error", () => {
  it.each([
    [400, "INVALID_ARGUMENT"],
    [401, "UNAUTHENTICATED"],
    [403, "PERMISSION_DENIED"],
    [404, "NOT_FOUND"],
    [413, "INVALID_ARGUMENT"],
    [429, "RESOURCE_EXHAUSTED"],
    [500, "INTERNAL"],
    [503, "UNAVAILABLE"],
    [504, "DEADLINE_EXCEEDED"],
  ])("of status %i is %s", (status, expected) => {
    expect(googleStatus(status)).toBe(expected);
  });

  it("has code, field, details and time to wait in its details", () => {
    const error = {
      message: "m",
      status: 429,
      code: "no_capacity",
      param: "p",
      details: { n: 1 },
      retryAfterSeconds: 5,
    };
    expect(toGoogleError(error)).toEqual({
      error: {
        code: 429,
        message: "m",
        status: "RESOURCE_EXHAUSTED",
        details: [
          {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            reason: "NO_CAPACITY",
            domain: "rolltape",
            metadata: { code: "no_capacity", param: "p", n: "1" },
          },
          { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "5s" },
        ],
      },
    });
  });
});

it("streams each of several candidates under its own index, with its own end", () => {
  const [answer] = fc.sample(outputs, { numRuns: 1, seed: 1 }).map((output) => output.answer);
  if (!answer) throw new Error("there is no answer");
  const encoder = new GenerateContentStream("sse", true);
  const texts = [
    encoder.start(answer, [answer]),
    encoder.push([{ type: "text", text: "first" }], undefined, 0),
    encoder.push([{ type: "text", text: "second" }], undefined, 1),
    encoder.finish({ ...answer, finishReason: "stop" }, [{ ...answer, finishReason: "length" }]),
  ];
  const chunks = READERS.sse(texts.map(toText).join(""));
  const shown = chunks.map(({ candidates }) => candidates.map(({ index, content }) => [index, content.parts[0]?.text]));
  expect(shown.slice(0, 2)).toEqual([[[0, "first"]], [[1, "second"]]]);
  expect(chunks.at(-1)?.candidates.map(({ index, finishReason }) => [index, finishReason])).toEqual([
    [0, "STOP"],
    [1, "MAX_TOKENS"],
  ]);
});
