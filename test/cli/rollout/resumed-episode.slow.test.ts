import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { ensureTinyModel } from "../../../src/engine/index.js";
import { readSafetensors } from "../../helpers/safetensors.js";
import type { Fault } from "../../helpers/sglang/protocol.js";
import { startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { until } from "../../helpers/until.js";
import { rolltape, runRolltape } from "../rolltape.js";
import { rolloutJob, TIMES } from "./rollout-job.js";

const EXAMPLES = fileURLToPath(new URL("../../../examples/resume", import.meta.url));
const TYPESCRIPT = `${join(EXAMPLES, "agent.ts")}#agent`;
const PYTHON = `${join(EXAMPLES, "agent.py")}:Counter`;
const TURNS = 4;

/** A job of one episode of four turns on an engine whose tokens depend on the prompt only. */
async function countingJob(agent: string, draw: (call: number) => Fault | undefined = () => undefined) {
  let calls = 0;
  const server = await startSglangServer({ drawFault: () => draw(++calls) });
  onTestFinished(() => server.close());
  const { args, out, folder } = rolloutJob([{ task_id: "count", goal: 40, turns: TURNS }]);
  const { folder: model } = await ensureTinyModel();
  const engine = ["engine.type=sglang", `engine.urls=${server.url}`, `model.path=${model}`];
  const template = "rollout.agent.chat_template_type=concat";
  return { server, out, folder, args: [...args, "--agent", agent, ...engine, template, "rollout.max_failures=1"] };
}

/** The second call is never answered; the agent is killed while it waits. */
const hangInTurn2 = (call: number): Fault | undefined => (call === 2 ? { kind: "hang" } : undefined);

/** Returns everything in a batch, except for random ids and times. */
function readContent(file: string) {
  const { tensors, metadata } = readSafetensors(readFileSync(file));
  const rows = JSON.parse(metadata["rows"] ?? "[]") as Readonly<Record<string, unknown>>[];
  const sessions = new Set(rows.map((row) => row["session_id"]));
  return { tensors: without(TIME, tensors), rows: rows.map((row) => without(RANDOM_ID, row)), sessions };
}

const TIME = /created_at|latency/;
const RANDOM_ID = /^(interaction|session)_ids?$/;

function without(names: RegExp, record: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.test(name)));
}

/** Runs the job of an agent without a crash. */
async function readUncut(agent: string) {
  const { server, args, out } = await countingJob(agent);
  expect(await runRolltape(args)).toMatchObject({ code: 0 });
  expect(server.to("/generate")).toHaveLength(TURNS);
  const { sessions: _, ...content } = readContent(out);
  expect(content.tensors["rewards"]).toMatchObject({ data: [1.625, 1.625, 1.625, 1.625] });
  return content;
}

function childrenOf(parent: number, command: RegExp): number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      const [, state, ppid] = /\) (\S) (\d+)/.exec(readFileSync(`/proc/${name}/stat`, "utf8")) ?? [];
      const isMatch = state !== "Z" && command.test(readFileSync(`/proc/${name}/cmdline`, "utf8"));
      return isMatch && Number(ppid) === parent ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

describe("an episode that is cut in turn 2", TIMES, () => {
  it.each([
    ["TypeScript", TYPESCRIPT],
    ["Python", PYTHON],
  ])("goes on from turn 1 in another rollout worker, with an agent in %s", async (_, agent) => {
    const uncut = await readUncut(agent);
    const { server, args, out } = await countingJob(agent, hangInTurn2);
    const running = rolltape([...args, "--workers", "1"]);
    await until(() => server.to("/generate").length === 2);
    for (const pid of childrenOf(running.process.pid ?? 0, /\0worker\0/)) process.kill(pid, "SIGKILL");
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stderr).toContain("a rollout worker ended with SIGKILL");
    const { sessions, ...content } = readContent(out);
    expect(content).toEqual(uncut);
    expect(sessions.size).toBe(1);
    // Turn 2 was sent twice, turn 1 once.
    expect(server.to("/generate")).toHaveLength(TURNS + 1);
  });

  it("goes on in a rollout worker that was frozen for longer than its lease", async () => {
    const uncut = await readUncut(TYPESCRIPT);
    const { server, args, out } = await countingJob(TYPESCRIPT, hangInTurn2);
    const running = rolltape([...args, "--workers", "1", "rollout.lease_seconds=1"]);
    await until(() => server.to("/generate").length === 2);
    const [worker = 0] = childrenOf(running.process.pid ?? 0, /\0worker\0/);
    process.kill(worker, "SIGSTOP");
    await running.logged("sent no heartbeat");
    process.kill(worker, "SIGCONT");
    expect(await running.ended).toMatchObject({ code: 0 });
    const { sessions, ...content } = readContent(out);
    expect(content).toEqual(uncut);
    expect(sessions.size).toBe(1);
    expect(server.to("/generate")).toHaveLength(TURNS + 1);
  });

  it("goes on when the process of a Python agent has ended", async () => {
    const uncut = await readUncut(PYTHON);
    const { server, args, out } = await countingJob(PYTHON, hangInTurn2);
    const running = rolltape([...args, "rollout.max_failures=2"]);
    await until(() => server.to("/generate").length === 2);
    for (const pid of childrenOf(running.process.pid ?? 0, /rolltape\.worker/)) process.kill(pid, "SIGKILL");
    expect(await running.ended).toMatchObject({ code: 0 });
    const { sessions: _, ...content } = readContent(out);
    expect(content).toEqual(uncut);
    expect(server.to("/generate")).toHaveLength(TURNS + 1);
  });

  it.each([
    ["in its process", []],
    ["with rollout workers", ["--workers", "1", "rollout.lease_seconds=2"]],
  ])("goes on with --resume when the whole job was killed, agents %s", async (_, more) => {
    const uncut = await readUncut(TYPESCRIPT);
    const { server, args, out, folder } = await countingJob(TYPESCRIPT, hangInTurn2);
    const job = [...args, ...more, `storage.directory=${join(folder, "store")}`];
    const killed = rolltape(job);
    await until(() => server.to("/generate").length === 2);
    killed.process.kill("SIGKILL");
    await killed.ended;
    expect(await runRolltape([...job, "--resume"])).toMatchObject({ code: 0 });
    const { sessions, ...content } = readContent(out);
    expect(content).toEqual(uncut);
    expect(sessions.size).toBe(1);
    expect(server.to("/generate")).toHaveLength(TURNS + 1);
  });
});
