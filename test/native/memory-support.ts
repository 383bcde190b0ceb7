import { readdirSync } from "node:fs";
import { onTestFinished } from "vitest";
import { native } from "../../src/native/addon.js";
import type { NativeBatch, NativePlan, NativeSharedPool, PackOptions } from "../../src/native/contract.js";
import { generation, planOptions } from "./support.js";

export function sharedPool(directory: string, maxBytes = 64_000_000): NativeSharedPool {
  const pool = new native.SharedPool({ directory, maxBytes });
  onTestFinished(() => pool.close());
  return pool;
}

export function listFiles(directory: string, end: string): string[] {
  return readdirSync(directory).filter((name) => name.endsWith(end));
}

/** Returns a plan of one row: `id` repeated `tokens` times, then the output token 8. */
export function planOf(tokens: number, id: number): NativePlan {
  const session = new native.Session();
  session.record({
    prompt: session.prompt([new Int32Array(tokens).fill(id)]),
    generation: generation([8]),
    digests: native.digestMessages(["u"]),
    output: [],
  });
  return native.planBatch([session], planOptions);
}

export function packed(tokens: number, id: number, memory: PackOptions["memory"]): Promise<NativeBatch> {
  return planOf(tokens, id).pack({ rows: "[]" }, memory === undefined ? {} : { memory });
}
