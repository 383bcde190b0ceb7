import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { describeExamples, type Example, readExamples } from "../../../src/cli/rollout/examples.js";
import type { EpisodeLine, TranscriptInteraction } from "../../../src/transcript/format.js";
import { encode, episode, interaction, RUN } from "../../transcript/lines.js";
import { temporaryFolder } from "../rolltape.js";

const example = (name: Example["name"], reward: number, rest: Partial<Example> = {}): Example => ({
  name,
  reward,
  turns: 2,
  sessionId: "s-1",
  answer: "yes",
  ...rest,
});

it("are lines of the summary, and how to see more", () => {
  const examples = [example("best", 1.23456, { turns: 1 }), example("median", 0.5), example("worst", -1)];
  expect(describeExamples({ path: "out/a.transcript", examples })).toEqual([
    ["best", "1.235  1 turn, s-1: yes"],
    ["median", "0.5    2 turns, s-1: yes"],
    ["worst", "-1     2 turns, s-1: yes"],
    ["view", "rolltape view out/a.transcript"],
  ]);
  expect(describeExamples({ path: "it's here", examples: [] })).toEqual([["view", "rolltape view 'it'\\''s here'"]]);
});

it("are none without a transcript, or if it cannot be read", async () => {
  expect(await readExamples(undefined)).toBeUndefined();
  expect(await readExamples({ path: undefined } as never)).toBeUndefined();
  expect(await readExamples({ path: "/no/such/transcript" } as never)).toEqual({
    path: "/no/such/transcript",
    examples: [],
  });
});

/** Reads the examples of a transcript with these episodes. */
async function readOf(episodes: readonly EpisodeLine[]): Promise<readonly Example[]> {
  const path = join(temporaryFolder(), "b.safetensors.jsonl");
  const { transcript, index } = encode([RUN, ...episodes]);
  writeFileSync(path, transcript);
  writeFileSync(`${path}.index`, index);
  const examples = await readExamples({ path } as never);
  expect(examples?.path).toBe(path);
  return examples?.examples ?? [];
}

const answered = (session: string, reward: number, answer: Partial<TranscriptInteraction["answer"]> = {}) =>
  episode({
    session_id: session,
    interactions: [
      interaction({ own_reward: reward, answer: { role: "assistant", content: `It is ${session}.`, ...answer } }),
    ],
  });

it("are the episodes with the highest, the middle and the lowest reward", async () => {
  const episodes = [0.1, 0.9, 0.4, 0.7, 0.2].map((reward) => answered(`s${reward}`, reward));
  const rejected = episode({ ...answered("no", 5), accepted: false, error: { code: "agent_error", message: "no" } });
  expect(await readOf([...episodes, rejected])).toEqual([
    { name: "best", reward: 0.9, turns: 1, sessionId: "s0.9", answer: "It is s0.9." },
    { name: "median", reward: 0.4, turns: 1, sessionId: "s0.4", answer: "It is s0.4." },
    { name: "worst", reward: 0.1, turns: 1, sessionId: "s0.1", answer: "It is s0.1." },
  ]);
});

it("are each episode once", async () => {
  const names = async (rewards: readonly number[]) =>
    (await readOf(rewards.map((reward) => answered(`s${reward}`, reward)))).map(({ name, reward }) => [name, reward]);
  expect(await names([])).toEqual([]);
  expect(await names([1])).toEqual([["best", 1]]);
  expect(await names([1, 2])).toEqual([
    ["best", 2],
    ["worst", 1],
  ]);
});

it("have the beginning of the last answer on one line, and its calls", async () => {
  const toolCalls = [
    { id: "1", name: "add", arguments: '{"a":1}' },
    { id: "2", name: "end", arguments: `"${"y".repeat(70)}"` },
  ];
  const examples = await readOf([
    answered("a\u001b", 3, { content: " one\n\n two\u001b[2J " }),
    answered("b", 2, { content: "x".repeat(61) }),
    answered("c", 1, { content: "", toolCalls }),
  ]);
  const [first, second, third] = examples.map(({ answer }) => answer);
  expect(first).toBe("one two [2J");
  expect(`${first}${examples[0]?.sessionId}`).not.toContain("\u001b");
  expect(second).toBe(`${"x".repeat(60)}…`);
  expect(third).toBe(`add({"a":1}) end("${"y".repeat(60 - 18)}…`);
  const [exact] = await readOf([answered("b", 2, { content: "x".repeat(60) })]);
  expect(exact?.answer).toBe("x".repeat(60));
});
