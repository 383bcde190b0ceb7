import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { METRIC_NAMES } from "../../../../src/cli/rollout/metrics/step-metrics.js";
import { rolltape, runRolltape } from "../../rolltape.js";
import { AGENT, readBatch, rolloutJob, TIMES } from "../rollout-job.js";
import { installTensorBoard, readTensorBoard } from "./tensorboard.js";

const agents = fileURLToPath(new URL("../agents/", import.meta.url));
const TASKS = [0, 1, 2, 3].map((reward) => ({ question: "why?", reward }));
const TWO = ["--agent", AGENT, "rollout.consumer_batch_size=2"];

const persistent = (folder: string, behaviour: string): string[] => {
  const program = ["python3", `${agents}persistent.py`, behaviour, join(folder, "trainer.log")];
  return ["--trainer", JSON.stringify(program), "--trainer-mode", "persistent"];
};

/** A job whose first batch is complete at once, and the second one when the gate opens. */
function gatedJob() {
  const { out, args, folder, data } = rolloutJob([]);
  const gate = join(folder, "gate");
  const tasks = TASKS.map((task) => (task.reward < 2 ? task : { ...task, until: gate }));
  writeFileSync(data, tasks.map((task) => JSON.stringify(task)).join("\n"));
  return {
    args: [...args, ...TWO, `storage.directory=${join(folder, "store")}`, "rollout.max_staleness=1"],
    out,
    persistent: (behaviour: string) => persistent(folder, behaviour),
    openGate: () => writeFileSync(gate, ""),
  };
}

const readMetrics = (out: string): Record<string, number>[] =>
  readFileSync(`${out}.metrics.jsonl`, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, number>);

describe("the metrics of a job", TIMES, () => {
  it("have a line for each batch", async () => {
    const { out, args } = rolloutJob([...TASKS, { question: "?", fail: "no" }]);
    const ended = await runRolltape([...args, ...TWO, "--group-size=2", "drop_incomplete_group=false"]);
    expect(ended).toMatchObject({ code: 0 });
    const lines = readMetrics(out);
    expect(lines.map(({ step, version }) => [step, version])).toEqual([
      [0, 0],
      [1, 0],
    ]);
    const [first] = lines;
    const names = METRIC_NAMES.filter((name) => name !== "time/training_seconds");
    expect(Object.keys(first ?? {}).sort()).toEqual([...names, "step", "version", "time"].sort());
    expect(first).toMatchObject({
      "episodes/accepted": 4,
      "groups/zero_variance_share": 1,
      "staleness/mean": 0,
      "staleness/max": 0,
    });
    const sum = (name: string) => lines.reduce((total, line) => total + (line[name] ?? NaN), 0);
    expect(sum("reward/mean")).toBe(3);
    const { shape } = readBatch(join(dirname(out), "batch-00000.safetensors"));
    expect(first?.["batch/rows"]).toBe(shape?.[0]);
    // Each episode makes two calls of at most 4 tokens.
    expect(first?.["tokens/trained"]).toBeGreaterThan(0);
    expect(sum("tokens/sampled")).toBeGreaterThanOrEqual(sum("tokens/trained"));
    expect(Math.abs((first?.["time"] ?? 0) - Date.now() / 1000)).toBeLessThan(120);
  });

  it("have the time and the metrics of a persistent trainer, and say which cannot be used", async () => {
    const { out, args, folder } = rolloutJob(TASKS);
    const ended = await runRolltape([...args, ...TWO, ...persistent(folder, "metrics")]);
    expect(ended).toMatchObject({ code: 0 });
    expect(readMetrics(out)).toMatchObject([
      { step: 0, version: 0, loss: 0.5 },
      { step: 1, version: 1, loss: 0.25 },
    ]);
    for (const line of readMetrics(out)) {
      expect(line["time/training_seconds"]).toBeGreaterThan(0);
      expect(line).not.toHaveProperty("kl");
    }
    const problem = '`metrics`["kl"] must be a finite number; received "NaN".';
    expect(ended.stderr).toContain(`rolltape: warning: step 0 goes on without a metric of the trainer: ${problem}\n`);
  });

  it("lose no step if a persistent trainer reports none that can be used", async () => {
    const { out, args, folder } = rolloutJob(TASKS);
    const ended = await runRolltape([...args, ...TWO, ...persistent(folder, "no metrics")]);
    expect(ended).toMatchObject({ code: 0 });
    expect(readMetrics(out).map(({ version }) => version)).toEqual([0, 1]);
    expect(ended.stderr).toContain("`metrics` must be an object of names and finite numbers; received [0.5].");
  });

  it("have those that a trainer of one batch prints", async () => {
    const { out, args, folder } = rolloutJob(TASKS);
    const program = [process.execPath, `${agents}trainer.mjs`, "metrics", join(folder, "trainer.log")];
    const ended = await runRolltape([...args, ...TWO, "--trainer", JSON.stringify(program)]);
    expect(ended).toMatchObject({ code: 0 });
    for (const line of readMetrics(out)) expect(line).toMatchObject({ loss: 0.25, learning_rate: 1e-6 });
    expect(readMetrics(out).map(({ step }) => step)).toEqual([0, 1]);
    const [own, broken] = ['`metrics`["step"] is a name of Rolltape\'s own', 'received "{\\"metrics\\": "'];
    expect(ended.stderr).toContain(own);
    expect(ended.stderr).toContain(broken);
  });

  it("have a batch on which the trainer failed", async () => {
    const { out, args, folder } = rolloutJob(TASKS);
    expect(await runRolltape([...args, ...TWO, ...persistent(folder, "die")])).toMatchObject({ code: 1 });
    expect(readMetrics(out)[0]).toMatchObject({ step: 0, "episodes/accepted": 2 });
  });

  it("go on after --resume, and keep the line of a step that is over", async () => {
    const { args, out, persistent: trainer, openGate } = gatedJob();
    const killed = rolltape([...args, ...trainer("metrics")]);
    await killed.logged("step 0: trained");
    killed.process.kill("SIGKILL");
    await killed.ended;
    const [first] = readMetrics(out);
    openGate();
    expect(await runRolltape([...args, ...trainer("metrics"), "--resume"])).toMatchObject({ code: 0 });
    expect(readMetrics(out)).toMatchObject([first, { step: 1, version: 1, loss: 0.25, "reward/mean": 2.5 }]);
  });

  it("go on after --resume, and replace the line of a step that the trainer has not finished", async () => {
    const { args, out, persistent: trainer, openGate } = gatedJob();
    const stopped = rolltape([...args, ...trainer("hang")]);
    await stopped.logged("step 0");
    stopped.process.kill("SIGINT");
    expect(await stopped.ended).toMatchObject({ code: 130 });
    expect(readMetrics(out)).toMatchObject([{ step: 0, "episodes/accepted": 2 }]);
    // The rest of a line after a loss of power.
    writeFileSync(`${out}.metrics.jsonl`, '{"step":', { flag: "a" });
    openGate();
    expect(await runRolltape([...args, ...trainer("metrics"), "--resume"])).toMatchObject({ code: 0 });
    expect(readMetrics(out)).toMatchObject([
      { step: 0, version: 0, loss: 0.5, "reward/mean": 0.5 },
      { step: 1, version: 1, loss: 0.25, "reward/mean": 2.5 },
    ]);
    expect(readdirSync(`${out}.tensorboard`)).toHaveLength(1);
  });

  it.each(["metrics.jsonl/folder", "tensorboard"])(
    "are left out with a warning if %s is in their place",
    async (name) => {
      const { out, args } = rolloutJob(TASKS.slice(0, 2));
      mkdirSync(dirname(`${out}.${name}`), { recursive: true });
      writeFileSync(`${out}.${name}`, "");
      const ended = await runRolltape([...args, "--agent", AGENT]);
      expect(ended).toMatchObject({ code: 0 });
      expect(ended.stderr).toMatch(/^rolltape: warning: \S+\.metrics\.jsonl gets no more metrics: E/m);
    },
  );

  it.each([
    ["in one process", []],
    ["with --job-folder", ["--job-folder"]],
  ])("are left out with --no-metrics, %s", async (_, option) => {
    const { out, args, folder } = rolloutJob(TASKS.slice(0, 2));
    const job = option.flatMap((name) => [name, join(folder, "job")]);
    expect(await runRolltape([...args, "--agent", AGENT, "--no-metrics", ...job])).toMatchObject({ code: 0 });
    expect([`${out}.metrics.jsonl`, `${out}.tensorboard`].filter(existsSync)).toEqual([]);
    expect(existsSync(out)).toBe(true);
  });
});

describe("TensorBoard", TIMES, () => {
  it("reads the metrics of a job", async ({ skip }) => {
    const python = installTensorBoard();
    if (python === undefined) return skip("TensorBoard is optional (uv installs it from PyPI)");
    const { out, args, folder } = rolloutJob(TASKS);
    expect(await runRolltape([...args, ...TWO, ...persistent(folder, "metrics")])).toMatchObject({ code: 0 });
    const scalars = readTensorBoard(python, `${out}.tensorboard`);
    const lines = readMetrics(out);
    const names = Object.keys(lines[0] ?? {}).filter((name) => name !== "step" && name !== "time");
    const expected = names.map((name) => [name, lines.map((line) => [line["step"], Math.fround(line[name] ?? NaN)])]);
    expect(scalars).toEqual(Object.fromEntries(expected));
    expect(scalars["loss"]).toEqual([
      [0, 0.5],
      [1, 0.25],
    ]);
  });
});
