import { existsSync, readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Transcript } from "../../../src/transcript/read-index.js";
import { runRolltape } from "../rolltape.js";
import { AGENT, readBatch, rolloutJob, TIMES } from "./rollout-job.js";

const TASKS = [
  { task_id: "b", question: "why?", reward: 1 },
  { task_id: "a", question: "how?", reward: 0.5 },
  { task_id: "c", question: "when?", fail: "the tool is \u001b[31mbroken" },
];

async function readTranscript(out: string) {
  await using transcript = await Transcript.open(`${out}.jsonl`);
  expect(transcript).toMatchObject({ isIndexed: true, problems: [] });
  const { lines } = transcript;
  const places = lines.filter((line) => line.type === "episode");
  return { lines, episodes: await Promise.all(places.map((place) => transcript.readEpisode(place))) };
}

describe("the transcript of a job", TIMES, () => {
  it.each([
    ["in one process", []],
    ["with rollout workers", ["--workers", "2"]],
    ["with proxies behind a gateway", ["--proxy-workers", "2"]],
  ])("has every episode, accepted or rejected, %s", async (_, options) => {
    const { out, args } = rolloutJob(TASKS);
    const ended = await runRolltape([...args, "--agent", AGENT, ...options, "rollout.agent.turn_discount=0.5"]);
    expect(ended).toMatchObject({ code: 0 });
    const { lines, episodes } = await readTranscript(out);
    expect(lines[0]).toMatchObject({ type: "run", tasks: 3, group_size: 1, discount: 0.5 });
    expect(lines.at(-1)).toMatchObject({ type: "batch", number: 0, file: "batch.safetensors", version: 0 });
    const byTask = Object.fromEntries(episodes.map((each) => [each.task_id, each]));
    expect(Object.keys(byTask).sort()).toEqual(["a", "b", "c"]);
    const { sessions, rewards } = readBatch(out);
    expect([byTask["b"]?.session_id, byTask["a"]?.session_id]).toEqual([...new Set(sessions)]);
    const exported = ["b", "a"].flatMap((id) => byTask[id]?.interactions.map(({ reward }) => reward));
    expect(exported).toEqual(rewards);
    expect(byTask["b"]?.interactions[0]?.messages.at(-1)).toMatchObject({ role: "user", content: "why?" });
    expect(byTask["c"]).toMatchObject({ accepted: false, error: { code: "agent_error" } });
    // The session of a rejected episode is read before it is deleted.
    expect(byTask["c"]?.incomplete).toBeUndefined();
    expect(byTask["c"]?.session_id).toMatch(/^c-/);
    expect(statSync(`${out}.jsonl`).mode & 0o777).toBe(0o600);
  });

  it("is left out with --no-transcripts", async () => {
    const { out, args } = rolloutJob(TASKS);
    expect(await runRolltape([...args, "--agent", AGENT, "--no-transcripts"])).toMatchObject({ code: 0 });
    expect(existsSync(`${out}.jsonl`)).toBe(false);
  });

  it("shows at the end the best, the worst and the median episode, and how to view them", async () => {
    const { out, args } = rolloutJob([...TASKS, { task_id: "d", question: "who?", reward: -1 }]);
    const { stdout } = await runRolltape([...args, "--agent", AGENT]);
    expect(stdout.match(/^(?:best|median|worst|view) .*$/gm)).toEqual([
      expect.stringMatching(/^best +1 +2 turns, b-\S+: \S/),
      expect.stringMatching(/^median +0\.5 +2 turns, a-\S+: \S/),
      expect.stringMatching(/^worst +-1 +2 turns, d-\S+: \S/),
      `view      rolltape view ${out}.jsonl`,
    ]);
    expect(readFileSync(`${out}.jsonl`, "utf8")).not.toContain("\u001b");
  });
});
