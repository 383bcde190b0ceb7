import { writeFileSync } from "node:fs";
import type { Conversation } from "./load.js";

/**
 * Writes conversations to a file for a program in another language. All values are little endian: int32, and float32 for log
 * probabilities. The file has the number of sessions, then for each session the number of turns, and for each turn the length of the
 * tail, the length of the output, the weight version, the ids of the tail, the ids of the output, and the log probabilities.
 */
export function writeLoad(path: string, load: readonly Conversation[]): void {
  const parts: NodeJS.ArrayBufferView[] = [Int32Array.of(load.length)];
  for (const conversation of load) {
    parts.push(Int32Array.of(conversation.length));
    for (const { tail, output, logprobs, version } of conversation) {
      parts.push(Int32Array.of(tail.length, output.length, version), tail, output, logprobs);
    }
  }
  const bytes = parts.map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength));
  writeFileSync(path, Buffer.concat(bytes));
}
