import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type RunOptions, runBench } from "../../../bench/all/run-bench.js";
import { isGone } from "../../helpers/is-gone.js";

/** Runs a shell command as a benchmark. */
async function runCommand(command: string, options: Partial<RunOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-run-bench-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const log = join(folder, "log");
  const { problem } = await runBench({ command }, { size: "smoke", limitSeconds: 60, log, ...options });
  return { problem, output: readFileSync(log, "utf8") };
}

/** Prints the id of a process that it leaves running. */
const LEAVES_A_PROCESS = "sh -c 'sleep 300 & echo $!'";

describe("a run of a benchmark", () => {
  it("has its output and no problem if it ends with status 0", async () => {
    const { problem, output } = await runCommand("node -e 'console.log(process.env.BENCH_SIZE); console.error(2)'");
    expect({ problem, output }).toEqual({ problem: undefined, output: "smoke\n2\n" });
  });

  it("passes arguments", async () => {
    expect((await runCommand("echo", { args: ["--minutes", "1"] })).output).toBe("--minutes 1\n");
  });

  it("names the status or the signal it ended with", async () => {
    expect((await runCommand("sh -c 'exit 3'")).problem).toBe("it ended with status 3");
    expect((await runCommand("sh -c 'kill -KILL $$'")).problem).toBe("it ended with SIGKILL");
  });

  it("ends processes that the benchmark left", async () => {
    const { problem, output } = await runCommand(LEAVES_A_PROCESS);
    expect(problem).toBeUndefined();
    await expect.poll(() => isGone(Number(output))).toBe(true);
  });

  it("is ended with its processes after its time", async () => {
    const command = "sh -c 'sleep 300 & echo $!; wait'";
    const { problem, output } = await runCommand(command, { limitSeconds: 0.5 });
    expect(problem).toBe("it took longer than 1 s");
    await expect.poll(() => isGone(Number(output))).toBe(true);
  });
});
