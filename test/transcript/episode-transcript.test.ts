import { expect, it } from "vitest";
import { toEpisodeTranscript } from "../../src/transcript/episode-transcript.js";
import type { TranscriptInteraction } from "../../src/transcript/format.js";
import { summarizeInteractions } from "../../src/transcript/summarize.js";
import { interaction } from "./lines.js";

const user = (content: string) => ({ role: "user", content }) as const;
const assistant = (content: string) => ({ role: "assistant", content }) as const;

function transcriptOf(interactions: readonly TranscriptInteraction[]) {
  const summary = summarizeInteractions(interactions, undefined);
  return toEpisodeTranscript({ session_id: "s", task_id: "t", state: "active", summary, interactions });
}

const ROOT = interaction({ id: "a", messages: [user("1"), user("2")], answer: assistant("A") });
const CHILD = interaction({
  id: "b",
  parent: 0,
  kept: 3,
  messages: [user("3")],
  answer: assistant("B"),
  tag: "t",
  own_reward: 0,
  created_at: 1002,
  finish_reason: "length",
});
const RESPELLED = interaction({
  id: "c",
  parent: 1,
  kept: 5,
  respelled: [[2, assistant("a")]],
  messages: [user("4")],
  answer: assistant("C"),
});

it("has the conversation of the newest turn, with messages as the newest request spelled them", () => {
  const { session_id: id, messages } = transcriptOf([ROOT, CHILD, RESPELLED]);
  expect(id).toBe("s");
  const contents = messages.map(({ content }) => content);
  expect(contents).toEqual(["1", "2", "a", "3", "B", "4", "C"]);
  // The conversation of the parent stays as it was.
  const branch = interaction({ id: "d", parent: 1, kept: 3, messages: [], answer: assistant("D") });
  const others = transcriptOf([ROOT, CHILD, RESPELLED, branch]).messages;
  expect(others.map(({ content }) => content)).toEqual(["1", "2", "A", "D"]);
});

it("has each turn as what it adds to its parent", () => {
  expect(transcriptOf([ROOT, CHILD]).turns).toEqual([
    {
      id: "a",
      parent: null,
      kept: 0,
      messages: [user("1"), user("2")],
      answer: assistant("A"),
      finish_reason: "stop",
      tag: null,
      reward: null,
      created_at: 1001,
    },
    {
      id: "b",
      parent: "a",
      kept: 3,
      messages: [user("3")],
      answer: assistant("B"),
      finish_reason: "length",
      tag: "t",
      reward: 0,
      created_at: 1002,
    },
  ]);
});

it("leaves out answers that a retry has replaced, but not those that did not reach the agent", () => {
  const retried = { ...CHILD, left_out: "retried" };
  const undelivered = { ...CHILD, id: "u", left_out: "undelivered" };
  const { messages, turns } = transcriptOf([ROOT, undelivered, retried]);
  expect(turns.map(({ id }) => id)).toEqual(["a", "u"]);
  expect(messages.map(({ content }) => content)).toEqual(["1", "2", "A", "3", "B"]);
  expect(transcriptOf([{ ...ROOT, left_out: "retried" }])).toMatchObject({ messages: [], turns: [] });
});
