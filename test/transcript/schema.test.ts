import { describe, expect, it } from "vitest";
import type { EpisodeLine, TranscriptInteraction } from "../../src/transcript/format.js";
import { indexLine, sessionTranscript, transcriptLine } from "../../src/transcript/schema.js";
import { summarizeInteractions, toIndexLine } from "../../src/transcript/summarize.js";
import { episode, interaction, RUN } from "./lines.js";

const image = { type: "image", sha256: "d", mediaType: "image/png", width: 4, height: 3 } as const;
const call = { id: "c", name: "f", arguments: "{}" };

/** An interaction with every field. */
const FULL: TranscriptInteraction = interaction({
  messages: [
    { role: "system", content: "s" },
    { role: "developer", content: "d" },
    { role: "user", content: [{ type: "text", text: "t" }, image], name: "n" },
    { role: "assistant", content: "", reasoning: "r", hasUnknownReasoning: true, toolCalls: [call] },
    { role: "tool", content: "o", toolCallId: "c" },
  ],
  respelled: [[0, { role: "assistant", content: "a" }]],
  tools: [{ type: "function", function: { name: "f", strict: true } }],
  tools_of: 0,
  api: "messages",
  requested_model: "m",
  request_kind: "turn",
  tag: "t",
  agent_id: "a",
  parent_agent_id: "p",
  compacted_from: "i",
  choice: 1,
  attempt: 2,
  left_out: "retried",
  latency: 0.5,
  versions: [1, 2],
  cause: "rerendered",
  own_reward: -1,
  sampling: { temperature: 1, greedy: false, logprobs: "raw", seed: null },
});

const EPISODE: EpisodeLine = episode({
  group_id: "g",
  started_at: 1.5,
  duration: 2.5,
  session_reward: 0.5,
  incomplete: "cut",
  error: { code: "c", message: "m", stack: "s" },
  interactions: [FULL, { ...FULL, parent: 0, kept: 2 }],
});

const LINES = [
  RUN,
  { ...RUN, model_digest: "d", model_path: "/m", discount: 0.9 },
  { type: "batch", number: 0, file: "b", version: -1, at: 1.5, session_ids: ["s"] },
  { type: "step", number: 0, version: 1, at: 1.5, duration: 0.5 },
  EPISODE,
] as const;

describe("the schema of a transcript", () => {
  it.each(LINES)("keeps every field of a $type line, and drops others", (line) => {
    expect(transcriptLine.parse(line)).toEqual(line);
    const place = { offset: 0, length: 0 };
    expect(indexLine.parse(toIndexLine(line, place))).toEqual(toIndexLine(line, place));
    expect(transcriptLine.parse({ ...line, later: 1 })).toEqual(line);
  });

  it("keeps every field of a session's transcript", () => {
    const { session_id = "", task_id, group_id, started_at, duration, session_reward, interactions } = EPISODE;
    const summary = summarizeInteractions(interactions, session_reward);
    const session = { session_id, task_id, group_id, state: "ended", started_at, duration, session_reward, summary };
    expect(sessionTranscript.parse({ ...session, interactions })).toEqual({ ...session, interactions });
  });

  it.each([
    { parent: -2 },
    { kept: -1 },
    { prompt_tokens: 0.5 },
    { completion_tokens: -1 },
    { tools_of: -1 },
    { versions: [1] },
    { tools: [{ type: "other", function: { name: "f" } }] },
    { answer: { role: "critic", content: "" } },
    { answer: { role: "user", content: [{ type: "audio" }] } },
    { answer: { role: "user", content: [{ ...image, width: -1 }] } },
    { answer: { role: "user", content: "", hasUnknownReasoning: false } },
    { parent: 0 },
  ])("refuses an interaction with %j", (fields) => {
    const line = { ...EPISODE, interactions: [{ ...FULL, ...fields }] };
    expect(transcriptLine.safeParse(line).success).toBe(false);
  });

  it.each([
    { ...RUN, format: 2 },
    { ...RUN, tasks: -1 },
    { ...EPISODE, task: -1 },
    { ...EPISODE, interactions: [FULL, { ...FULL, parent: 1 }] },
    { ...LINES[2], number: -1 },
    { ...LINES[3], version: 0.5 },
    { ...LINES[3], type: "other" },
  ])("refuses a line of another form", (line) => {
    expect(transcriptLine.safeParse(line).success).toBe(false);
  });
});
