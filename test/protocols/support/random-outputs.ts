import fc from "fast-check";
import type { OutputEvent } from "../../../src/model/output/output-parser.js";
import type { GenerationAnswer } from "../../../src/protocols/generation-answer.js";
import { addToParts, type OutputPart } from "../../../src/protocols/output-parts.js";

/** One output as a parser tells it, in groups that came at once, and the answer that it makes. */
export interface Output {
  readonly groups: readonly (readonly OutputEvent[])[];
  readonly answer: GenerationAnswer;
}

const words = fc.array(fc.constantFrom("a", "b ", "\n", "é", "😀", '"', "\\", "{}"), { minLength: 1, maxLength: 6 });
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify({ value }));

type Run = (index: number) => OutputEvent[];

const textRun = (type: "text" | "reasoning") =>
  words.map(
    (texts): Run =>
      () =>
        texts.map((text) => ({ type, text })),
  );

const callRun = fc.tuple(fc.constantFrom("get_weather", "add"), json, fc.nat(5)).map(
  ([name, text, at]): Run =>
    (index) => {
      const pieces = [text.slice(0, at), text.slice(at)].filter((piece) => piece !== "");
      return [
        { type: "tool_call", index, id: `call_${index}`, name },
        ...pieces.map((piece) => ({ type: "tool_call_arguments", index, text: piece }) as const),
      ];
    },
);

const runs = fc.tuple(fc.option(textRun("reasoning")), fc.array(fc.oneof(textRun("text"), callRun), { maxLength: 4 }));

/** Outputs with reasoning, texts and calls in any order that a parser may tell. */
export const outputs: fc.Arbitrary<Output> = fc
  .tuple(runs, fc.constantFrom("stop", "length"), fc.nat(3), fc.boolean())
  .map(([[reasoning, rest], end, cut, stopped]) => {
    let calls = 0;
    const events = [...(reasoning ? [reasoning] : []), ...rest].flatMap((run) => {
      const told = run(calls);
      if (told[0]?.type === "tool_call") calls++;
      return told;
    });
    const parts: OutputPart[] = [];
    for (const event of events) addToParts(parts, event);
    return { groups: grouped(events, cut + 1), answer: answerOf(parts, end as "stop" | "length", stopped) };
  });

function grouped(events: readonly OutputEvent[], size: number): OutputEvent[][] {
  const groups: OutputEvent[][] = [];
  for (let from = 0; from < events.length; from += size) groups.push(events.slice(from, from + size));
  return groups;
}

function answerOf(parts: readonly OutputPart[], end: "stop" | "length", stopped: boolean): GenerationAnswer {
  const of = (type: "text" | "reasoning") => parts.map((part) => (part.type === type ? part.text : "")).join("");
  const toolCalls = parts.flatMap((part) =>
    part.type === "tool_call" ? [{ id: part.id, name: part.name, arguments: part.arguments }] : [],
  );
  return {
    interactionId: "resp_0123abcd",
    model: "tiny",
    createdAt: 1_700_000_000_000,
    promptTokens: 11,
    message: {
      role: "assistant",
      content: of("text"),
      ...(of("reasoning") === "" ? {} : { reasoning: of("reasoning") }),
      ...(toolCalls.length > 0 ? { toolCalls } : {}),
    },
    parts,
    finishReason: end === "stop" && toolCalls.length > 0 ? "tool_calls" : end,
    stopString: end === "stop" && stopped && toolCalls.length === 0 ? "END" : undefined,
    completionTokens: 7,
    reasoningTokens: parts.some(({ type }) => type === "reasoning") ? 5 : 0,
    cachedTokens: 3,
    tokens: undefined,
  };
}
