import { describe, expect, it } from "vitest";
import { answerShape, withoutJoinedFrames } from "../../helpers/answer-shape.js";
import { readCaptures } from "../../helpers/captures.js";
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
