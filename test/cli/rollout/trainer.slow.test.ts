import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { rolltape, runRolltape } from "../rolltape.js";
import { AGENT, readBatch, rolloutJob, TIMES } from "./rollout-job.js";
import { writtenFiles } from "./written-files.js";

const TRAINER = fileURLToPath(new URL("./agents/trainer.mjs", import.meta.url));

const tasks = [0, 1, 2, 3, 4].map((reward) => ({ task_id: `t${reward}`, question: "why?", reward }));

/** Creates a job with batches of two tasks and a trainer. Returns its arguments, and functions that read the results. */
function trained(behaviour: "train" | "fail" | "hang") {
  const { folder, out, args } = rolloutJob(tasks);
  const log = join(folder, "trainer.log");
  const program = JSON.stringify([process.execPath, TRAINER, behaviour, log]);
  return {
    args: [...args, "--agent", AGENT, "rollout.consumer_batch_size=2", "--trainer", program],
    files: () => writtenFiles(dirname(out)),
    batch: (name: string) => readBatch(join(dirname(out), name)),
    steps: () =>
      readFileSync(log, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { version: string }),
  };
}

describe("rolltape rollout with rollout.consumer_batch_size", TIMES, () => {
  it("writes a file for each batch", async () => {
    const { out, args } = rolloutJob(tasks);
    const more = ["rollout.consumer_batch_size=2", "rollout.max_concurrent_rollouts=1"];
    const ended = await runRolltape([...args, "--agent", AGENT, ...more]);
    expect(ended).toMatchObject({ code: 0 });
    const folder = dirname(out);
    const names = ["batch-00000.safetensors", "batch-00001.safetensors", "batch-00002.safetensors"];
    expect(writtenFiles(folder)).toEqual(names);
    expect(names.map((name) => readBatch(join(folder, name)).rewards)).toEqual([
      [0, 0, 1, 1],
      [2, 2, 3, 3],
      [4, 4],
    ]);
    expect(ended.stdout).toMatch(/wrote +3 files, .*batch-00000.safetensors to .*batch-00002.safetensors, \d+ bytes/);
    expect(ended.stdout).toContain(" in 10 rows; ");
  });
});

describe("rolltape rollout with a trainer", TIMES, () => {
  it("trains on each batch, with no task too stale and each token under the version that sampled it", async () => {
    const { args, batch, steps } = trained("train");
    const ended = await runRolltape(args);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stderr).toContain("training\n");
    expect(steps()).toEqual(["1", "2", "3"].map((version) => ({ version, same: true, there: true })));
    const versions = [0, 1, 2].map((n) => batch(`batch-0000${n}.safetensors`).versions);
    expect(versions).toEqual([[0], [1], [2]]);
  });

  it("starts from --from-version", async () => {
    const { args, files, batch, steps } = trained("train");
    expect(await runRolltape([...args, "--from-version", "7"])).toMatchObject({ code: 0 });
    expect(steps().map(({ version }) => version)).toEqual(["8", "9", "10"]);
    expect(files()[0]).toBe("batch-00007.safetensors");
    expect(batch("batch-00007.safetensors").versions).toEqual([7]);
  });

  it("stops if the trainer fails, and exports finished tasks", async () => {
    const { args, files } = trained("fail");
    const ended = await runRolltape(args);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/rolltape: the trainer failed: .* ended with status 3\n$/);
    expect(ended.stdout).toMatch(/episodes +2 accepted, 0 rejected\nstopped +after 2 of 5 tasks had started\n/);
    expect(files()).toEqual(["batch-00000.safetensors"]);
  });

  it("ends the trainer when it is interrupted", async () => {
    const { args, files } = trained("hang");
    const running = rolltape(args);
    await running.logged("training");
    running.process.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 130 });
    expect(files()).toEqual(["batch-00000.safetensors"]);
  });

  it("reports that the program does not exist", async () => {
    const { args } = rolloutJob(tasks.slice(0, 1));
    const ended = await runRolltape([...args, "--agent", AGENT, "--trainer", "/no/such/program"]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("the trainer failed: /no/such/program could not be started");
  });
});
