import { describe, expect, it } from "vitest";
import type { OutputParser } from "../../src/model/output/output-parser.js";
import type { NativeGeneration } from "../../src/native/contract.js";
import type { AnswerEvent } from "../../src/protocols/output-parts.js";
import type { TokenJson } from "../../src/protocols/token-json.js";
import { AnswerReader } from "../../src/server/call/answer-reader.js";

const TOKENS = 2048;

/** A generation that is complete. */
const generation = {
  length: TOKENS,
  ids: (from: number) => new Int32Array(TOKENS - from),
} as unknown as NativeGeneration;

const parser = {
  push: (ids: Int32Array) => [{ type: "text", text: "x".repeat(ids.length) }],
  finish: () => ({ events: [], output: {} }),
} as unknown as OutputParser;

/** Returns a reader, and the lengths of the texts that it writes. */
function open(readers: number, onWrite: () => void = () => {}) {
  const written: number[] = [];
  const sink = {
    hasRoom: true,
    write: (events: readonly AnswerEvent[]) => {
      written.push(events.reduce((sum, event) => sum + ("text" in event ? event.text.length : 0), 0));
      onWrite();
    },
  };
  const options = {
    tokenJson: {} as TokenJson,
    generation,
    openParser: () => parser,
    wantsTokens: false,
    topWidth: 0,
    maxTokens: 4096,
  };
  return { written, reader: new AnswerReader({ ...options, readers, sink }) };
}

describe("OutputReader", () => {
  it("reads a complete output at once if it is the only one", () => {
    const { reader, written } = open(1);
    reader.advance();
    expect(written).toEqual([TOKENS]);
  });

  it("reads its share if the outputs of other choices may be complete, too", () => {
    const { reader, written } = open(64);
    reader.advance();
    expect(written).toEqual([4096 / 64]);
  });

  it("reads the rest of each choice in a separate iteration of the event loop", async () => {
    let iteration = 0;
    const readIn: number[] = [];
    const count = () => {
      iteration++;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const choices = Array.from({ length: 8 }, () => open(64, () => void readIn.push(iteration)));
    await Promise.all(choices.map(({ reader }) => reader.catchUp()));
    clearImmediate(next);
    expect(choices.map(({ written }) => written)).toEqual(choices.map(() => [TOKENS]));
    expect(new Set(readIn).size).toBe(choices.length);
  });
});
