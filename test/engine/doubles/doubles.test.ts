import { describe, expect, it } from "vitest";
import { answerShape, withoutJoinedFrames } from "../../helpers/answer-shape.js";
import { eventData, readCapture, readCaptures } from "../../helpers/captures.js";
import { WIRES } from "../../helpers/engine-frames.js";
import { CASES, play } from "./play-script.js";

/** The stand-ins of engine servers answer like the real ones: the scripts of the captures, run against both. */

describe.each(CASES)("the double of $engine, $scriptName", (example) => {
  it("answers in the shape of the real server", async () => {
    const captures = readCaptures(example.engine, example.scriptName);
    const taken = await play(example);
    expect([...taken.keys()].toSorted()).toEqual(captures.map(({ name }) => name).toSorted());
    for (const capture of captures) {
      const [answer, real] = [taken.get(capture.name), answerShape(capture)];
      expect.soft(answer && withoutJoinedFrames(answerShape(answer), real), capture.name).toEqual(real);
    }
  });
});

/** The members of an object and of everything in it, by their names. */
function namesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.values(value).flatMap(namesIn);
  return Array.isArray(value) ? inside : [...Object.keys(value), ...inside];
}

describe.each([
  ["sglang", "usual", "length-stream"],
  ["vllm", "development", "generate-length-stream"],
] as const)("the short frames of %s", (engine, script, name) => {
  it("have no member that the real ones lack", () => {
    const real = eventData(readCapture(engine, script, name))
      .slice(0, -1)
      .flatMap((data) => namesIn(JSON.parse(data)));
    const frames = [false, true].map((last) => WIRES[engine].frame({ ids: [5, 6], total: 2, last }));
    expect(real).toEqual(expect.arrayContaining([...new Set(frames.flatMap(namesIn))]));
  });
});
