import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Transcript } from "../../../src/transcript/read-index.js";
import { rolltape, runRolltape, temporaryFolder } from "../rolltape.js";
import { canMount, smallDisk } from "./full-disk.js";
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
    // A rejected episode may be written after the batch.
    expect(lines.find(({ type }) => type === "batch")).toMatchObject({
      type: "batch",
      number: 0,
      file: "batch.safetensors",
      version: 0,
    });
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

  it("is left out with --no-transcripts and --job-folder", async () => {
    const { out, args, folder } = rolloutJob(TASKS.slice(0, 2));
    const job = [...args, "--agent", AGENT, "--job-folder", join(folder, "job"), "--no-transcripts"];
    expect(await runRolltape(job)).toMatchObject({ code: 0 });
    expect([out, `${out}.jsonl`, `${out}.jsonl.index`].map((file) => existsSync(file))).toEqual([true, false, false]);
  });

  it("goes on after --resume with the episodes of the killed job, each once", async () => {
    const { out, args, folder, data } = rolloutJob([]);
    const gate = join(folder, "gate");
    const tasks = [0, 1, 2, 3].map((reward) => ({
      task_id: `t${reward}`,
      question: "?",
      reward,
      ...(reward > 1 && { until: gate }),
    }));
    writeFileSync(data, tasks.map((task) => JSON.stringify(task)).join("\n"));
    const job = [...args, "--agent", AGENT, `storage.directory=${join(folder, "store")}`];
    const killed = rolltape(job);
    await killed.loggedMatch(/(an agent waits on \S+\n[^]*){2}/);
    await expect
      .poll(() => (existsSync(`${out}.jsonl`) ? readFileSync(`${out}.jsonl`, "utf8").split("\n").length : 0), {
        timeout: 60_000,
      })
      .toBe(4);
    killed.process.kill("SIGKILL");
    await killed.ended;
    const before = readFileSync(`${out}.jsonl`, "utf8");
    writeFileSync(gate, "");
    expect(await runRolltape([...job, "--resume"])).toMatchObject({ code: 0 });
    expect(readFileSync(`${out}.jsonl`, "utf8").startsWith(before)).toBe(true);
    const { lines, episodes } = await readTranscript(out);
    expect(lines.filter(({ type }) => type === "run")).toHaveLength(1);
    expect(episodes.map((each) => each.task_id).sort()).toEqual(["t0", "t1", "t2", "t3"]);
    // An agent that waits has made a call before.
    expect(episodes.map((each) => each.interactions.length)).toEqual([2, 2, 3, 3]);
    const batches = lines.flatMap((line) => (line.type === "batch" ? line.session_ids : []));
    expect(batches.toSorted()).toEqual(episodes.map((each) => each.session_id ?? "").toSorted());
  });

  it.runIf(canMount)("ends with a warning when its disk is full, and the job goes on", async () => {
    const disk = smallDisk(64 * 1024);
    const { args } = rolloutJob([]);
    const out = join(disk, "batch.safetensors");
    const [data] = args.slice(2, 3);
    const question = "long ".repeat(4000);
    const tasks = Array.from({ length: 6 }, (_, reward) => ({ task_id: `t${reward}`, question, reward }));
    writeFileSync(data ?? "", tasks.map((task) => JSON.stringify(task)).join("\n"));
    // The batch does not fit the disk either, so it is saved in another folder.
    const ended = await runRolltape([...args.slice(0, -1), out, "--agent", AGENT, "--write-wait", "0"], {
      TMPDIR: temporaryFolder(),
    });
    expect(ended.stderr).toMatch(/^rolltape: warning: \S+batch\.safetensors\.jsonl is not complete: .*ENOSPC/m);
    expect(ended.stderr.match(/is not complete/g)).toHaveLength(1);
    expect(ended.stdout).toMatch(/^episodes +6 accepted, 0 rejected\n/);
    await using transcript = await Transcript.open(`${out}.jsonl`);
    expect(transcript.lines[0]?.type).toBe("run");
  });

  it("shows at the end the best, the worst and the median episode, and how to view them", async () => {
    const { out, args } = rolloutJob([...TASKS, { task_id: "d", question: "who?", reward: -1 }]);
    const { stdout } = await runRolltape([...args, "--agent", AGENT]);
    expect(stdout.match(/^(?:best|median|worst|view) .*$/gm)).toEqual([
      // The answers are random, and may be empty.
      expect.stringMatching(/^best +1 +2 turns, b-\S+: /),
      expect.stringMatching(/^median +0\.5 +2 turns, a-\S+: /),
      expect.stringMatching(/^worst +-1 +2 turns, d-\S+: /),
      `view      rolltape view ${out}.jsonl`,
    ]);
    expect(readFileSync(`${out}.jsonl`, "utf8")).not.toContain("\u001b");
  });
});
