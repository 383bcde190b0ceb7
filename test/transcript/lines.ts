import { readdirSync, readlinkSync } from "node:fs";
import type { EpisodeLine, RunLine, TranscriptInteraction, TranscriptLine } from "../../src/transcript/format.js";
import { toIndexLine } from "../../src/transcript/summarize.js";

export const RUN: RunLine = { type: "run", format: 1, started_at: 1000.5, model: "tiny", tasks: 2, group_size: 1 };

export function interaction(fields: Partial<TranscriptInteraction> = {}): TranscriptInteraction {
  return {
    id: "i",
    parent: -1,
    kept: 0,
    messages: [{ role: "user", content: "How many?" }],
    answer: { role: "assistant", content: "Three." },
    finish_reason: "stop",
    created_at: 1001,
    prompt_tokens: 5,
    completion_tokens: 2,
    shared_tokens: 0,
    token_exact: true,
    reward: 0,
    ...fields,
  };
}

export function episode(fields: Partial<EpisodeLine> = {}): EpisodeLine {
  return {
    type: "episode",
    session_id: "task-0-0",
    task: 0,
    task_id: "task-0",
    accepted: true,
    version: 0,
    interactions: [interaction()],
    ...fields,
  };
}

/** Returns the bytes of a transcript and of its index. */
export function encode(lines: readonly TranscriptLine[]): { readonly transcript: string; readonly index: string } {
  let [transcript, index] = ["", ""];
  for (const line of lines) {
    const text = JSON.stringify(line);
    const place = { offset: Buffer.byteLength(transcript), length: Buffer.byteLength(text) };
    transcript += `${text}\n`;
    index += `${JSON.stringify(toIndexLine(line, place))}\n`;
  }
  return { transcript, index };
}

/** Returns the files that this process has open whose path begins so. */
export function listOpenFiles(path: string): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      return target.startsWith(path) ? [target] : [];
    } catch {
      return [];
    }
  });
}
