import { describe, expect, it } from "vitest";
import { PromptText } from "../../src/engine/prompt-text.js";
import { writeBody } from "../../src/engine/servers/wire/generate-once.js";
import { native } from "../../src/native/addon.js";
import { makeCall } from "./generate-call.js";

const PREFIX = '{"input_ids":';
const SUFFIX = ',"stop":["é😀"],"rid":"1"}';

const promptOf = (ids: readonly number[]) => new native.Session().prompt([Int32Array.from(ids)]);

/** The obvious text, written by `JSON.stringify`. */
const wholeOf = (ids: readonly number[], prefix = PREFIX, suffix = SUFFIX) => prefix + JSON.stringify(ids) + suffix;

/** Returns a text that was used for one request with these ids. */
function textOf(ids: readonly number[]): PromptText {
  const text = new PromptText();
  text.keep(promptOf(ids).requestBody(PREFIX, SUFFIX), promptOf(ids), PREFIX, SUFFIX);
  text.giveBack();
  return text;
}

function extend(text: PromptText, ids: readonly number[], shared: number, prefix = PREFIX): string | undefined {
  return text.extend(promptOf(ids), prefix, SUFFIX, shared)?.toString();
}

describe("the text of a prompt", () => {
  it("is extended by the ids that are new", () => {
    expect(extend(textOf([1, 22, 333]), [1, 22, 333, 4444], 3)).toBe(wholeOf([1, 22, 333, 4444]));
  });

  it("is cut at the first id that differs", () => {
    expect(extend(textOf([1, 22, 333]), [1, 7], 1)).toBe(wholeOf([1, 7]));
    expect(extend(textOf([1, 22, 333]), [1], 1)).toBe(wholeOf([1]));
    expect(extend(textOf([1, 22, 333]), [1, 22, 333], 3)).toBe(wholeOf([1, 22, 333]));
  });

  it("shares no more than it has", () => {
    expect(extend(textOf([1, 22]), [1, 22, 5, 6], 4)).toBe(wholeOf([1, 22, 5, 6]));
  });

  it("is not extended if nothing is shared, or for another kind of request", () => {
    expect(extend(textOf([1, 2]), [3], 0)).toBeUndefined();
    expect(extend(textOf([1, 2]), [1, 2, 3], 2, '{"token_ids":')).toBeUndefined();
    expect(extend(new PromptText(), [1, 2, 3], 2)).toBeUndefined();
  });

  it("stays as it is while it is lent", () => {
    const text = textOf([1, 2]);
    const lent = text.extend(promptOf([1, 2, 3]), PREFIX, SUFFIX, 2);
    expect(extend(text, [1, 2, 4], 2)).toBeUndefined();
    expect(text.keep(promptOf([9]).requestBody(PREFIX, SUFFIX), promptOf([9]), PREFIX, SUFFIX)).toBe(false);
    expect(text.isReady).toBe(false);
    text.free();
    expect(lent?.toString()).toBe(wholeOf([1, 2, 3]));
  });

  it("reports and frees its memory", () => {
    const text = textOf([1, 2]);
    expect(text.memory).toBe(Buffer.byteLength(wholeOf([1, 2])));
    text.free();
    expect(text.memory).toBe(0);
    expect(text.isReady).toBe(false);
  });

  it("has the bytes of the whole text after any sequence of requests", () => {
    const random = makeRandom(7);
    for (let round = 0; round < 40; round++) {
      const text = new PromptText();
      let ids: number[] = [];
      for (let turn = 0; turn < 25; turn++) {
        const shared = random(4) === 0 ? random(ids.length + 1) : ids.length;
        const next = [...ids.slice(0, shared), ...Array.from({ length: random(60) }, () => random(10 ** random(10)))];
        const prompt = promptOf(next);
        const suffix = `,"rid":"${"é".repeat(random(30))}"}`;
        const body = text.extend(prompt, PREFIX, suffix, shared);
        const whole = body ?? prompt.requestBody(PREFIX, suffix);
        expect(whole.toString()).toBe(wholeOf(next, PREFIX, suffix));
        // Nothing is shared with an empty text, or from the first id on.
        expect(body === undefined).toBe(turn === 0 || shared === 0);
        if (!body) text.keep(whole, prompt, PREFIX, suffix);
        text.giveBack();
        ids = next;
      }
    }
  });
});

describe("the body of a request", () => {
  it("keeps its text for the next request", async () => {
    const text = new PromptText();
    const send = async (ids: readonly number[], shared: number) => {
      const call = { ...makeCall(ids), promptText: { text, shared } };
      const { body, onSent } = await writeBody(call, PREFIX, SUFFIX);
      onSent?.();
      return body.toString();
    };
    expect(await send([1, 2], 0)).toBe(wholeOf([1, 2]));
    expect(await send([1, 2, 3], 2)).toBe(wholeOf([1, 2, 3]));
  });

  it("has the tokens of a cut generation, without changing the text", async () => {
    const text = textOf([1, 2]);
    const { memory } = text;
    const call = { ...makeCall([1, 2, 3]), promptText: { text, shared: 2 } };
    call.generation.append(Int32Array.of(8), Float32Array.of(0), 0);
    const { body, onSent } = await writeBody(call, PREFIX, SUFFIX);
    expect(body.toString()).toBe(wholeOf([1, 2, 3, 8]));
    expect(onSent).toBeUndefined();
    expect(text.memory).toBe(memory);
    expect(text.isReady).toBe(true);
  });

  it("is written as a whole while another choice of the call has the text", async () => {
    const text = textOf([1, 2]);
    const call = { ...makeCall([1, 2, 3]), promptText: { text, shared: 2 } };
    const first = await writeBody(call, PREFIX, SUFFIX);
    const second = await writeBody(call, PREFIX, SUFFIX);
    expect(second.body.toString()).toBe(first.body.toString());
    expect(first.onSent).toBeDefined();
    expect(second.onSent).toBeUndefined();
  });
});

/** Returns a function for random integers below a bound. */
function makeRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
