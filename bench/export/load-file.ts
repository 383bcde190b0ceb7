import { writeFileSync } from "node:fs";
import type { Conversation } from "./load.js";

/**
 * Writes conversations for a program in another language: int32 little endian throughout (log probabilities are
 * float32). Count of sessions; then for each session its count of turns and for each turn `tail length`,
 * `output length`, `version`, tail ids, output ids, log probabilities.
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
