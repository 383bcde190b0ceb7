import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { listDescendants } from "../../helpers/descendants.js";
import { isGone } from "../../helpers/is-gone.js";
import { readProcesses } from "../../scheduler/job.js";
import { type Rolltape, rolltape } from "../rolltape.js";
import { AGENT, rolloutJob, TIMES } from "./rollout-job.js";

const LONG = { timeout: 60_000, interval: 100 };

/** Kills a process, and waits until its descendants are gone. Returns their command lines at the time of the kill. */
async function killAlone({ process: parent }: Rolltape): Promise<string[]> {
  const pids = listDescendants(parent.pid ?? 0);
  onTestFinished(() => pids.filter((pid) => !isGone(pid)).forEach((pid) => process.kill(pid, "SIGKILL")));
  const commands = pids.map((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " "));
  parent.kill("SIGKILL");
  await expect.poll(() => commands.filter((_, i) => !isGone(pids[i] ?? 0)), LONG).toEqual([]);
  return commands;
}

describe("a process that is killed leaves no children", TIMES, () => {
  it("if it is the supervisor of a job", async () => {
    const { args, folder } = rolloutJob([{ question: "how?", hang: true }]);
    const jobFolder = join(folder, "job");
    const running = rolltape([...args, "--agent", AGENT, "--job-folder", jobFolder, "rollout.agent.mode=subproc"]);
    const log = () => readFileSync(join(jobFolder, "logs", "rollout-0.err"), "utf8");
    await expect.poll(() => attempt(log), LONG).toContain("an agent hangs");
    expect(readProcesses(jobFolder)).toHaveLength(4);
    const commands = (await killAlone(running)).join("\n");
    for (const command of [" serve ", " gateway ", " worker ", " controller ", "subproc/worker"])
      expect(commands).toContain(command);
  });

  it("if it runs a JavaScript agent that never yields, in a process of its own", async () => {
    const { args, folder } = rolloutJob([{ question: "how?" }]);
    const agent = join(folder, "busy.mjs");
    writeFileSync(agent, "export const agent = { run() { console.error('it is busy'); for (;;); } };");
    const running = rolltape([...args, "--agent", `${agent}#agent`, "rollout.agent.mode=subproc"]);
    await running.logged("it is busy");
    expect((await killAlone(running)).join("\n")).toContain("subproc/worker");
  });

  it("if it runs a Python agent that never yields", async () => {
    const { args, folder } = rolloutJob([{ question: "how?" }]);
    const agent = join(folder, "busy.py");
    writeFileSync(
      agent,
      "import sys\n\ndef solve(task, session):\n    print('it is busy', file=sys.stderr, flush=True)\n    while True: pass\n",
    );
    const running = rolltape([...args, "--agent", `${agent}:solve`]);
    await running.logged("it is busy");
    expect((await killAlone(running)).join("\n")).toContain("python");
  });

  it("if it runs a program and what this has started", async () => {
    const { args, folder } = rolloutJob([{ question: "how?" }]);
    const program = join(folder, "program.sh");
    writeFileSync(program, "echo it hangs >&2\nsleep 3601 &\nwait\n");
    const running = rolltape([...args, "--command", JSON.stringify(["sh", program])]);
    await running.logged("it hangs");
    expect((await killAlone(running)).join("\n")).toContain("sleep 3601");
  });

  it("if it runs agents on rollout workers that it has started", async () => {
    const { args, folder } = rolloutJob([{ question: "how?" }]);
    const program = join(folder, "program.sh");
    writeFileSync(program, "echo it hangs >&2\nsleep 3602 &\nwait\n");
    const running = rolltape([...args, "--command", JSON.stringify(["sh", program]), "--workers", "1"]);
    await running.logged("it hangs");
    const worker = listDescendants(running.process.pid ?? 0).find((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("\0worker\0"),
    );
    const own = listDescendants(worker ?? 0);
    expect(own.length).toBeGreaterThan(0);
    process.kill(worker ?? 0, "SIGKILL");
    await expect.poll(() => own.filter((pid) => !isGone(pid)), LONG).toEqual([]);
    expect((await killAlone(running)).join("\n")).toContain(" worker ");
  });
});

function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
