import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { ensureTinyModel } from "../../../src/engine/index.js";
import { readProcesses } from "../../scheduler/job.js";
import { runRolltape } from "../rolltape.js";
import { AGENT, readBatch, rolloutJob, TIMES } from "./rollout-job.js";

const ENGINE = fileURLToPath(new URL("./agents/sglang-engine.ts", import.meta.url));

interface EngineLog {
  readonly port: string;
  readonly generations: number;
  readonly loads: readonly string[];
}

/** A persistent trainer whose weights are in a folder of their own for each version. */
const TRAINER = `
import json, sys

for line in sys.stdin:
    order = json.loads(line)
    version = order["version"] + 1
    print(json.dumps({"version": version, "step": order["step"], "weights": f"/weights/{version}"}), flush=True)
`;

describe("rolltape rollout --job-folder", TIMES, () => {
  it("runs proxies, a gateway, rollout workers and a controller as processes of this machine", async () => {
    const { args, out, folder } = rolloutJob([0, 1, 2, 3].map((reward) => ({ question: "?", reward })));
    const jobFolder = join(folder, "job");
    const more = [
      "--agent",
      AGENT,
      "--job-folder",
      jobFolder,
      "--proxy-workers",
      "2",
      "--workers",
      "2",
      "group_size=2",
    ];
    const ended = await runRolltape([...args, ...more]);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toMatch(/^episodes +8 accepted, 0 rejected\n/);
    expect([...new Set(readBatch(out).sessions)]).toHaveLength(8);
    expect([...new Set(readBatch(out).rewards)]).toEqual([0, 1, 2, 3]);
    const states = readProcesses(jobFolder).map(({ role, ended: how }) => `${role} ${how}`);
    expect(states).toEqual([
      "proxy ended with status 0",
      "proxy ended with status 0",
      "gateway ended with status 0",
      "rollout ended with status 0",
      "rollout ended with status 0",
      "controller ended with status 0",
    ]);
  });

  it("starts engines, which all proxies use, and loads the weights of the trainer into each of them once", async () => {
    const { args, out, folder } = rolloutJob([0, 1, 2, 3, 4, 5, 6, 7].map((reward) => ({ question: "?", reward })));
    const [jobFolder, log] = [join(folder, "job"), join(folder, "engines.log")];
    const engine = [process.execPath, "--import", "tsx", ENGINE, "{port}", log];
    const trainer = join(folder, "trainer.py");
    writeFileSync(trainer, TRAINER);
    const more = ["--engine-command", JSON.stringify(engine), "--engines", "2", "--proxy-workers", "2"];
    const training = ["--trainer", `python3 ${trainer}`, "--trainer-mode", "persistent"];
    // Four tasks at once, so that each proxy has sessions for both engines.
    const batches = ["rollout.consumer_batch_size=4", "rollout.max_staleness=0"];
    const options = [
      ...more,
      ...training,
      ...batches,
      "engine.type=sglang",
      `model.path=${(await ensureTinyModel()).folder}`,
    ];
    const ended = await runRolltape([...args, "--agent", AGENT, "--job-folder", jobFolder, ...options]);
    expect(ended).toMatchObject({ code: 0 });
    const engines = readProcesses(jobFolder).filter(({ role }) => role === "engine");
    expect(engines.map(({ ended: how, restarts }) => [how, restarts])).toEqual([
      ["ended with status 0", 0],
      ["ended with status 0", 0],
    ]);
    const logs = readFileSync(log, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as EngineLog);
    expect(new Set(logs.map(({ port }) => port)).size).toBe(2);
    for (const { generations, loads } of logs) {
      expect(generations).toBeGreaterThan(0);
      expect(loads).toEqual(["/weights/1", "/weights/2"]);
    }
    const written = [0, 1].map((n) => readBatch(out.replace("batch.", `batch-0000${n}.`)));
    expect(written.map(({ versions }) => versions)).toEqual([[0], [1]]);
  });

  it("reports an engine that does not start, with its last output", async () => {
    const { args, folder } = rolloutJob([{ question: "?" }]);
    const engine = [process.execPath, "-e", "console.error('no such GPU'); process.exit(3)", "{port}"];
    const { folder: model } = await ensureTinyModel();
    const options = ["--engine-command", JSON.stringify(engine), "engine.type=sglang", `model.path=${model}`];
    const ended = await runRolltape([...args, "--agent", AGENT, "--job-folder", join(folder, "job"), ...options]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/engine[^]*status 3[^]*no such GPU/);
  });

  it("reports why the controller failed", async () => {
    const { args, folder } = rolloutJob([{ question: "?", fail: "no luck" }]);
    const jobFolder = join(folder, "job");
    const ended = await runRolltape([...args, "--agent", AGENT, "--job-folder", jobFolder]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(
      /The controller ended with status 1\. Its log, [^]* ends with:\n[^]*batch\.safetensors\.errors\.jsonl/,
    );
    expect(readFileSync(join(jobFolder, "logs", "controller-0.err"), "utf8")).toContain("no luck");
  });

  it.each([
    [["--engines", "2"], "--engines requires --engine-command"],
    [["--engine-command", "serve"], "--engine-command must contain {port}, on which the proxies call the engine"],
    [["--engine-command", "serve {port}"], "--engine-command requires engine.type=sglang or vllm: the embedded engine"],
    [
      ["--engine-command", "serve {port}", "engine.type=sglang", "model.path=/m", "engine.urls=[http://gpu1:30000]"],
      "engine.urls: has no effect: the job starts its own engines with `--engine-command`",
    ],
  ])("refuses engines that cannot be started or found: %j", async (options, message) => {
    const { args, folder } = rolloutJob([{ question: "?" }]);
    const ended = await runRolltape([...args, "--agent", AGENT, "--job-folder", join(folder, "job"), ...options]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain(message);
  });

  it("refuses options of a job without its folder", async () => {
    const { args } = rolloutJob([{ question: "?" }]);
    expect(await runRolltape([...args, "--agent", AGENT, "--engines", "2"])).toMatchObject({
      code: 2,
      stderr: "rolltape: --engines requires --job-folder\n",
    });
  });
});
