import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { ensureTinyModel } from "../../../src/engine/index.js";
import { rolltape, runRolltape } from "../rolltape.js";
import { AGENT, readBatch, rolloutJob, TIMES } from "./rollout-job.js";
import { writtenFiles } from "./written-files.js";

const TRAINER = fileURLToPath(new URL("./agents/persistent.py", import.meta.url));

const tasks = [0, 1, 2, 3, 4].map((reward) => ({ task_id: `t${reward}`, question: "why?", reward }));

/** Creates a job with batches of two tasks and a persistent trainer. */
function trained(behaviour: string, ...more: readonly string[]) {
  const { folder, out, args } = rolloutJob(tasks);
  const log = join(folder, "trainer.log");
  const trainer = [
    "--trainer",
    JSON.stringify(["python3", TRAINER, behaviour, log, ...more]),
    "--trainer-mode",
    "persistent",
  ];
  return {
    args: [...args, "--agent", AGENT, "rollout.consumer_batch_size=2", "rollout.max_staleness=0", ...trainer],
    files: () => writtenFiles(dirname(out)),
    batch: (name: string) => readBatch(join(dirname(out), name)),
    log: () =>
      readFileSync(log, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

const NAMES = [0, 1, 2].map((n) => `batch-0000${n}.safetensors`);

describe("rolltape rollout --trainer-mode persistent", TIMES, () => {
  it("runs one process, which receives each batch with its version, and sets the version of its answer", async () => {
    const { args, batch, log } = trained("train");
    const ended = await runRolltape(args);
    expect(ended).toMatchObject({ code: 0 });
    const [start, ...rest] = log();
    expect(start).toEqual({ ROLLTAPE_VERSION: "0", ROLLTAPE_BATCH: null, url: "http://127.0.0.1:", key: true });
    const steps = NAMES.map((name, step) => ({
      step,
      version: step,
      batch: name,
      tasks: step < 2 ? 2 : 1,
      absolute: true,
      there: true,
    }));
    expect(rest).toEqual([...steps, { ended: true }]);
    expect(NAMES.map((name) => batch(name).versions)).toEqual([[0], [1], [2]]);
    expect(ended.stderr).toContain("loading the model\n");
    expect(ended.stderr).toMatch(/rolltape: step 2: trained on \S+batch-00002\.safetensors in \d+\.\d s, version 3\n/);
  });

  it("goes on if the version stays the same, and counts it from --from-version", async () => {
    const { args, batch, log } = trained("keep");
    expect(await runRolltape([...args, "--from-version", "7"])).toMatchObject({ code: 0 });
    expect(log()[0]).toMatchObject({ ROLLTAPE_VERSION: "7" });
    expect(batch("batch-00009.safetensors").versions).toEqual([7]);
  });

  it("accepts an answer that repeats the step of its batch", async () => {
    const { args, batch } = trained("echo");
    expect(await runRolltape(args)).toMatchObject({ code: 0 });
    expect(NAMES.map((name) => batch(name).versions)).toEqual([[0], [1], [2]]);
  });

  it("accepts an answer that skips versions", async () => {
    const { args, batch } = trained("leap");
    expect(await runRolltape(args)).toMatchObject({ code: 0 });
    expect(NAMES.map((name) => batch(name).versions)).toEqual([[0], [10], [20]]);
  });

  it("loads the weights that the trainer names, and records their version", async () => {
    const { folder } = await ensureTinyModel();
    const { args, batch } = trained("load", folder);
    expect(await runRolltape(args)).toMatchObject({ code: 0 });
    expect(NAMES.map((name) => batch(name).versions)).toEqual([[0], [1], [2]]);
  });

  it.each([
    ["die", /python3 ended with status 3\n$/],
    ["end", /ended with status 0 before the last batch\n$/],
    ["malformed", /expected a line \{"version": n\}; received \{"version": {2}\[31m\}\n$/],
    ["wrong", /expected a line \{"version": n\}; received \{"version": "1"\}\n$/],
    ["endless", /received a line of more than 1048576 bytes\n$/],
    ["back", /expected a line \{"version": n\}; received \{"version": -1\}\n$/],
    ["another step", /`step` must be 0, that of the batch, or absent; received \{"version": 1, "step": 1\}\n$/],
    ["step of text", /expected a line \{"version": n\}; received/],
    ["weights", /its weights \/nowhere\/weights were not loaded: .+\n$/],
    ["weights of no version", /`version` must be above 0, because it has new weights; received/],
  ])("stops and keeps the batch if the trainer does: %s", async (behaviour, reason) => {
    const { args, files } = trained(behaviour);
    const ended = await runRolltape(args);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("rolltape: the trainer failed: ");
    expect(ended.stderr).toMatch(reason);
    expect(files()).toEqual(NAMES.slice(0, 1));
  });

  it.each([
    ["die at once", /ended with status 5\n$/],
    // If its first batch is already there, the line counts as the answer to it, and the real answer comes without a batch.
    ["answer at once", /it answered although it had no batch: \{"version": 1(?:, "loss": 0\.5)?\}\n$/],
  ])("stops even while the trainer has no batch: %s", async (behaviour, reason) => {
    const ended = await runRolltape(trained(behaviour).args);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(reason);
  });

  it("reports a trainer that fails after the last batch, and keeps all batches", async () => {
    const { args, files } = trained("fail at the end");
    const ended = await runRolltape(args);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/the trainer failed: python3 ended with status 4\n$/);
    expect(files()).toEqual(NAMES);
  });

  it("gives the trainer time to save its state when it is interrupted", async () => {
    const { args, files, log } = trained("save");
    const running = rolltape(args);
    await running.logged("step 0");
    running.process.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 130 });
    expect(files()).toEqual(NAMES.slice(0, 1));
    expect(log().at(-1)).toEqual({ saved: true });
  });

  it("reports that the program does not exist, and --trainer-mode without --trainer", async () => {
    const { args } = rolloutJob(tasks.slice(0, 1));
    const mode = ["--trainer-mode", "persistent"];
    const missing = await runRolltape([...args, "--agent", AGENT, ...mode, "--trainer", "/no/such/program"]);
    expect(missing.stderr).toContain("the trainer failed: /no/such/program could not be started");
    expect(missing.code).toBe(1);
    const without = await runRolltape([...args, "--agent", AGENT, ...mode]);
    expect(without).toMatchObject({ code: 2, stderr: "rolltape: --trainer-mode requires --trainer\n" });
  });
});
