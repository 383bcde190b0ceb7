import { describe, expect, it } from "vitest";
import { decodeUtf8 } from "../../src/http/json-body.js";
import { runInIterations } from "../../src/support/async/run-steps.js";

/** Very large texts are decoded in slices of 2 MiB. */
const SLICE = 2 << 20;

const decodeUtf8InTurns = (bytes: Buffer): Promise<string> => runInIterations(decodeUtf8(bytes));

describe("a text that is decoded in several slices", () => {
  it.each([0, 1, 2, 3])(
    "is decoded correctly if a character begins %i bytes before the end of a slice",
    async (before) => {
      const text = `${"x".repeat(SLICE - before)}😀${"y".repeat(SLICE)}語`;
      expect(await decodeUtf8InTurns(Buffer.from(text))).toBe(text);
    },
  );

  it("is refused if it is not UTF-8, or if it ends within a character", async () => {
    const bytes = Buffer.from(`${"x".repeat(SLICE)}語`);
    for (const wrong of [bytes.subarray(0, -1), Buffer.concat([bytes, Buffer.of(0xff)])]) {
      await expect(decodeUtf8InTurns(wrong)).rejects.toMatchObject({ code: "invalid_json" });
    }
  });

  it("may contain the replacement character", async () => {
    const text = `${"x".repeat(SLICE)}\uFFFD`;
    expect(await decodeUtf8InTurns(Buffer.from(text))).toBe(text);
  });

  it("lets other work run between its slices", async () => {
    let turns = 0;
    const count = () => {
      turns++;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    await decodeUtf8InTurns(Buffer.alloc(3 * SLICE, "x"));
    clearImmediate(next);
    expect(turns).toBeGreaterThanOrEqual(3);
  });
});
