import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rolltape, runRolltape } from "../rolltape.js";
import { AGENT, rolloutJob, TIMES } from "./rollout-job.js";

interface ErrorRecord {
  readonly task: number;
  readonly task_id: string;
  readonly session_id: string | null;
  readonly code: string;
  readonly message: string;
  readonly error: { readonly class: string; readonly code: string | null; readonly stack: string | null } | null;
  readonly standard_error: string | null;
}

const readErrors = (out: string) =>
  readFileSync(`${out}.errors.jsonl`, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as ErrorRecord);

const CRASHING = `
import json, sys
task = json.load(sys.stdin)
print("loading the tool", file=sys.stderr)
if task.get("reward", 0) > 1:
    raise ValueError("the reward is above 1")
print(task["answer"])
`;

describe("the errors of a rollout", TIMES, () => {
  it("show the last lines that a Python agent wrote before it crashed, grouped by the last one", async () => {
    const { folder, out, args } = rolloutJob([{ reward: 1 }, { reward: 2 }, { reward: 3 }, { reward: 0 }]);
    const script = join(folder, "agent.py");
    writeFileSync(script, CRASHING);
    const command = ["--command", JSON.stringify(["python3", script])];
    const ended = await runRolltape([...args, ...command, "rollout.max_concurrent_rollouts=1"]);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toContain(
      "  2 × agent_error: python3 ended with status 1.\n    in task task-0\n    | loading the tool\n    | Traceback",
    );
    expect(ended.stderr).toMatch(/\| Traceback[^]*\| KeyError: 'answer'\n[^]*\| ValueError: the reward is above 1\n/);
    expect(ended.stderr).toMatch(/\n {2}2 × agent_error: .*\n {4}in task task-1\n/);
    expect(ended.stderr).toContain(`\n  errors: ${out}.errors.jsonl\n`);
  });

  it("are written for every rejected episode, with the standard error of its own process", async () => {
    const { folder, out, args } = rolloutJob([{ task_id: "first", reward: 2 }, { reward: 0 }]);
    const script = join(folder, "agent.py");
    writeFileSync(script, CRASHING);
    await runRolltape([...args, "--command", JSON.stringify(["python3", script])]);
    const errors = readErrors(out).sort((a, b) => a.task - b.task);
    expect(errors.map(({ task_id, code }) => [task_id, code])).toEqual([
      ["first", "agent_error"],
      ["task-1", "agent_error"],
    ]);
    expect(errors[0]).toMatchObject({
      session_id: expect.stringMatching(/^first-/) as string,
      message: "python3 ended with status 1.",
      error: { class: "SubprocError", code: "program_failed", stack: null },
      standard_error: expect.stringMatching(/^loading the tool\n[^]*\nValueError: the reward is above 1$/) as string,
    });
    expect(errors[1]?.standard_error).toMatch(/KeyError: 'answer'$/);
  });

  it.each(["inline", "subproc"])("have the class and the stack of an agent's error (%s)", async (mode) => {
    const { folder, out, args } = rolloutJob([{ question: "why?" }]);
    const file = join(folder, "agent.mjs");
    writeFileSync(
      file,
      'class ToolError extends Error {}\nexport const run = () => {\n  console.error("asking the tool");\n  throw new ToolError("it is broken");\n};\n',
    );
    const ended = await runRolltape([...args, "--agent", file, `rollout.agent.mode=${mode}`]);
    expect(ended.stderr).toMatch(
      / 1 × agent_error: ToolError: it is broken\n +in task task-0\n +at .*agent\.mjs:4:\d+/,
    );
    expect(readErrors(out)).toMatchObject([
      {
        message: "it is broken",
        error: { class: "ToolError", stack: expect.stringContaining("agent.mjs:4:") as string },
        standard_error: mode === "subproc" ? "asking the tool" : null,
      },
    ]);
  });

  it("are preceded by the standard error of a program, shown while it runs", async () => {
    const { folder, args } = rolloutJob([{ question: "why?" }]);
    const file = join(folder, "answer");
    const waits = `echo waiting for the tool >&2; until [ -e ${file} ]; do sleep 0.05; done; echo 'a thought'; echo 1`;
    const running = rolltape([...args, "--command", JSON.stringify(["sh", "-c", waits])]);
    await running.logged("waiting for the tool\n");
    writeFileSync(file, "");
    // Standard output is not forwarded, because it contains the reward.
    expect((await running.ended).stderr).not.toContain("a thought");
  });

  it("are preceded by the standard output of a program that fails", async () => {
    const { args } = rolloutJob([{ question: "why?" }]);
    const fails = JSON.stringify(["sh", "-c", "echo 'a thought'; printf 'half a line'; exit 3"]);
    const ended = await runRolltape([...args, "--command", fails]);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toMatch(/^a thought\nhalf a line\n[^]*1 × agent_error: sh ended with status 3\./m);
  });

  it("show the standard error of a program that exceeded its time", async () => {
    const { args } = rolloutJob([{ question: "why?" }]);
    const waits = JSON.stringify(["sh", "-c", "echo waiting for the tool >&2; sleep 60"]);
    const ended = await runRolltape([...args, "--command", waits, "--timeout", "1"]);
    expect(ended.stderr).toMatch(/episode_timeout: The agent's process was killed.*\n.*\n +\| waiting for the tool\n/);
  });

  it("of an earlier job are removed if the job has none", async () => {
    const { out, args } = rolloutJob([{ question: "why?", reward: 1 }]);
    await runRolltape([...args, "--agent", AGENT]);
    writeFileSync(`${out}.errors.jsonl`, "{}\n");
    expect(await runRolltape([...args, "--agent", AGENT])).toMatchObject({ code: 0 });
    expect(existsSync(`${out}.errors.jsonl`)).toBe(false);
  });
});
