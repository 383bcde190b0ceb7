import fc from "fast-check";
import type { GenerationAnswer } from "../../../src/protocols/generation-answer.js";
import { type AnswerEvent, addToParts, type OutputPart } from "../../../src/protocols/output-parts.js";

/** One output as a parser returns it, in groups of events that arrive together, and the answer that results. */
export interface Output {
  readonly groups: readonly (readonly AnswerEvent[])[];
  readonly answer: GenerationAnswer;
}

const words = fc.array(fc.constantFrom("a", "b ", "\n", "é", "😀", '"', "\\", "{}"), { minLength: 1, maxLength: 6 });
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify({ value }));

type Run = (index: number) => AnswerEvent[];

const textRun = (type: "text" | "reasoning") =>
  words.map(
    (texts): Run =>
      () =>
        texts.map((text) => ({ type, text })),
  );

const callRun = fc.tuple(fc.constantFrom("get_weather", "add"), json, fc.nat(5)).map(
  ([name, text, cut]): Run =>
    (index) => {
      const pieces = [text.slice(0, cut), text.slice(cut)].filter((piece) => piece !== "");
      return [
        { type: "tool_call", index, id: `call_${index}`, name },
        ...pieces.map((piece) => ({ type: "tool_call_arguments", index, text: piece }) as const),
      ];
    },
);

const runs = fc.tuple(fc.option(textRun("reasoning")), fc.array(fc.oneof(textRun("text"), callRun), { maxLength: 4 }));

/** Generates outputs with reasoning, texts and calls, in any order that a parser can return. */
export const outputs: fc.Arbitrary<Output> = fc
  .tuple(runs, fc.constantFrom("stop", "length"), fc.nat(3), fc.boolean())
  .map(([[reasoning, rest], end, groupSize, stopped]) => {
    let calls = 0;
    const events = [...(reasoning ? [reasoning] : []), ...rest].flatMap((run) => {
      const runEvents = run(calls);
      if (runEvents[0]?.type === "tool_call") calls++;
      return runEvents;
    });
    const parts: OutputPart[] = [];
    for (const event of events) addToParts(parts, event);
    return { groups: splitGroups(events, groupSize + 1), answer: makeAnswer(parts, end as "stop" | "length", stopped) };
  });

function splitGroups(events: readonly AnswerEvent[], size: number): AnswerEvent[][] {
  const groups: AnswerEvent[][] = [];
  for (let from = 0; from < events.length; from += size) groups.push(events.slice(from, from + size));
  return groups;
}

function makeAnswer(parts: readonly OutputPart[], end: "stop" | "length", stopped: boolean): GenerationAnswer {
  const joinParts = (type: "text" | "reasoning") => parts.map((part) => (part.type === type ? part.text : "")).join("");
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
      content: joinParts("text"),
      ...(joinParts("reasoning") === "" ? {} : { reasoning: joinParts("reasoning") }),
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
