import { describe, expect, it } from "vitest";
import { matchGenerations } from "./check/match-generations.js";
import type { Row } from "./check/read-rows.js";
import { type Generation, GenerationLog } from "./engine/generation-log.js";

/** Two attempts at a call with a short answer may sample the same ids. */

const PROMPT = [1, 2, 3];

const generation = (version: number): Generation => ({
  call: 1,
  tokens: [
    { id: 7, logprob: -0.5, version: String(version) },
    { id: 8, logprob: -0.25, version: String(version) },
  ],
  sent: "whole",
  beganAt: 0,
  endedAt: 1,
});

const row = (version: number) =>
  ({
    prompt: PROMPT.map((id) => ({ id, logprob: 0, version: -1 })),
    output: [
      { id: 7, logprob: -0.5, version },
      { id: 8, logprob: -0.25, version },
    ],
  }) as unknown as Row;

function logOf(...generations: readonly Generation[]): GenerationLog {
  const log = new GenerationLog();
  for (const each of generations) log.add(PROMPT, each);
  return log;
}

describe("of generations with the same ids, a row is matched with", () => {
  it("the one that has its versions", () => {
    const [older, newer] = [generation(4), generation(5)];
    expect(matchGenerations(logOf(older, newer), row(5))).toEqual([newer]);
  });

  it("the one that no other row has", () => {
    const [first, second] = [generation(4), generation(4)];
    expect(matchGenerations(logOf(first, second), row(4), new Set([first]))?.[0]).toBe(second);
  });

  it("the one that the engine sent completely", () => {
    const broken: Generation = { ...generation(4), sent: "broken" };
    const whole = generation(4);
    expect(matchGenerations(logOf(broken, whole), row(4))?.[0]).toBe(whole);
  });

  it("pieces that were cut and continued", () => {
    const [first, second] = generation(4).tokens;
    if (!first || !second) throw new Error("two tokens expected");
    const log = new GenerationLog();
    const cut: Generation = { ...generation(4), tokens: [first], sent: "cut" };
    const rest: Generation = { ...generation(5), tokens: [{ ...second, version: "5" }] };
    log.add(PROMPT, cut);
    log.add([...PROMPT, first.id], rest);
    expect(matchGenerations(log, row(4))).toEqual([cut, rest]);
  });

  it("the beginning of a stream that broke off, if it was continued", () => {
    const [first, second] = generation(4).tokens;
    if (!first || !second) throw new Error("two tokens expected");
    const log = new GenerationLog();
    const lost = { ...first, id: 9 };
    log.add(PROMPT, { ...generation(4), tokens: [first, lost], sent: "broken", streamed: 1 });
    expect(matchGenerations(log, row(4))).toBeUndefined();
    const rest: Generation = { ...generation(5), tokens: [second] };
    log.add([...PROMPT, first.id], rest);
    expect(matchGenerations(log, row(4))?.map(({ tokens, sent }) => [tokens, sent])).toEqual([
      [[first], "cut"],
      [[second], "whole"],
    ]);
  });

  it("any of them if none has its versions", () => {
    expect(matchGenerations(logOf(generation(4)), row(5))).toEqual([generation(4)]);
  });
});
