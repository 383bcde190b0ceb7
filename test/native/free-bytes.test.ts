import { describe, expect, it } from "vitest";
import { native } from "../../src/native/addon.js";
import { expectCode, withAny } from "./support.js";

describe("freeBytes", () => {
  it("frees a whole buffer, whose length is 0 then", () => {
    const bytes = Buffer.allocUnsafeSlow(1 << 20);
    expect(native.freeBytes(bytes)).toBe(true);
    expect([bytes.length, bytes.buffer.byteLength]).toEqual([0, 0]);
    native.freeBytes(bytes);
  });

  it("gives the memory back at once, without a garbage collection", () => {
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < 100; i++) native.freeBytes(Buffer.alloc(16 << 20, 1));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 << 20);
  });

  it("frees requests to an engine, short and long ones", async () => {
    const prompt = new native.Session().prompt([new Int32Array(300_000).fill(12_345)]);
    const short = new native.Session().prompt([new Int32Array(3)]);
    for (const bytes of [short.requestBody("[", "]"), await prompt.requestBodyAsync("[", "]")]) {
      expect(native.freeBytes(bytes)).toBe(true);
      expect(bytes.length).toBe(0);
    }
  });

  it("leaves a part of larger memory as it is", () => {
    const memory = Buffer.alloc(100, 7);
    for (const part of [memory.subarray(1), memory.subarray(0, 99), Buffer.from("in the pool")]) {
      const text = part.toString("hex");
      expect(native.freeBytes(part)).toBe(false);
      expect(part.toString("hex")).toBe(text);
    }
  });

  it("refuses other values by name", () => {
    for (const value of [undefined, null, 1, "bytes", {}, new ArrayBuffer(8)]) {
      expectCode("ERR_INVALID_ARG", () => native.freeBytes(withAny(value)));
    }
  });
});
