import { describe, expect, it } from "vitest";
import { decodeBase64, STEP_BYTES, splitBase64 } from "../../../src/server/memory/split-base64.js";
import { openBytes, sealText } from "../../../src/session/stored/sealed-json.js";
import { runAtOnce } from "../../../src/support/async/steps.js";

/** Runs all steps. Returns their number and the result. */
function countSteps<T>(steps: Generator<void, T, void>): { count: number; result: T } {
  for (let count = 1; ; count++) {
    const step = steps.next();
    if (step.done) return { count, result: step.value };
  }
}

describe("steps of reading a stored response", () => {
  it("check the checksum of a long text piece by piece", () => {
    const sealed = sealText("x".repeat(5 << 20));
    const { count, result } = countSteps(openBytes(sealed));
    expect(result.equals(sealed.subarray(4))).toBe(true);
    expect(count).toBe(5);
    sealed.writeUInt8(0, 3 << 20);
    expect(() => runAtOnce(openBytes(sealed))).toThrow("checksum");
  });

  it.each([0, 1, 2, 3, STEP_BYTES, STEP_BYTES + 1, 3 * STEP_BYTES + 2])("decode base64 of %i bytes", (length) => {
    const bytes = Buffer.from(Uint8Array.from({ length }, (_, i) => i * 7));
    const text = Buffer.from(bytes.toString("base64"));
    const { count, result } = countSteps(decodeBase64(text));
    expect(Buffer.from(result).equals(bytes)).toBe(true);
    expect(count).toBe(Math.max(1, Math.ceil(text.length / STEP_BYTES)));
  });

  it("take out the base64 but no text that looks like it", () => {
    const like = 'a \\"ids\\":\\"AAAA\\" b';
    const fields = {
      text: `"ids":"AAAA"`,
      like,
      runs: [
        { ids: "QUJD", logprobs: "" },
        { ids: "", logprobs: "RA==" },
      ],
    };
    const { json, base64 } = runAtOnce(splitBase64(Buffer.from(JSON.stringify(fields))));
    expect(JSON.parse(json)).toEqual({
      ...fields,
      runs: [
        { ids: 0, logprobs: 1 },
        { ids: 2, logprobs: 3 },
      ],
    });
    expect(base64.map(String)).toEqual(["QUJD", "", "", "RA=="]);
  });
});
