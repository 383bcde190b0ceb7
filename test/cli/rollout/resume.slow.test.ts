import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { rolltape, runRolltape } from "../rolltape.js";
import { AGENT, readBatch, rolloutJob, TIMES } from "./rollout-job.js";

const KEY = "sk-admin-of-all-processes";
const env = { ROLLTAPE_ADMIN_API_KEY: KEY };

/** Writes tasks of which the last ones wait for a file. */
function gatedJob(open: number, gated: number) {
  const job = rolloutJob([]);
  const gate = join(job.folder, "gate");
  const tasks = Array.from({ length: open + gated }, (_, reward) => ({
    question: "?",
    reward,
    ...(reward < open ? {} : { until: gate }),
  }));
  writeFileSync(join(job.folder, "tasks.jsonl"), tasks.map((task) => JSON.stringify(task)).join("\n"));
  const storage = `storage.directory=${join(job.folder, "store")}`;
  return { ...job, gate, storage, openGate: () => writeFileSync(gate, "") };
}

/** Returns the rewards of the tasks in all batches of a job, each session once. */
function rewardsIn(out: string): number[] {
  const files = readdirSync(dirname(out))
    .filter((name) => name.endsWith(".safetensors"))
    .sort();
  return files.flatMap((name) => {
    const { rewards, sessions } = readBatch(join(dirname(out), name));
    const first = sessions.map((session, row) => (sessions.indexOf(session) === row ? [rewards?.[row] ?? NaN] : []));
    return first.flat() as number[];
  });
}

async function listSessions(url: string): Promise<string[]> {
  const reply = await fetch(`${url}/rl/sessions`, { headers: { authorization: `Bearer ${KEY}` } });
  const { sessions } = (await reply.json()) as { sessions: { state: string }[] };
  return sessions.map(({ state }) => state).filter((state) => state !== "exported");
}

describe("rolltape rollout --resume", TIMES, () => {
  it("goes on where a killed job was, with every task in one batch", async () => {
    const { args, out, storage, openGate } = gatedJob(3, 2);
    const job = [...args, "--agent", AGENT, storage];
    const killed = rolltape(job);
    await killed.loggedMatch(/(an agent waits on \S+\n[^]*){2}/);
    await killed.logged("episodes 3/5");
    killed.process.kill("SIGKILL");
    await killed.ended;
    const refused = await runRolltape(job);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/controller has an unfinished job of 5 tasks\. Go on with it by `--resume`/);
    openGate();
    const resumed = await runRolltape([...job, "--resume"]);
    expect(resumed).toMatchObject({ code: 0 });
    expect(resumed.stdout).toMatch(/^episodes +5 accepted, 0 rejected\n/);
    expect(resumed.stdout).toMatch(/^time +\S+ s, \S+ episodes\/s since --resume, 3 episodes earlier$/m);
    expect(resumed.stdout).toMatch(/^tokens +\d+ in \d+ rows; \d+ sampled since --resume/m);
    expect(rewardsIn(out)).toEqual([0, 1, 2, 3, 4]);
    // The job is done, so that another one may begin in the folder.
    expect(await runRolltape(job)).toMatchObject({ code: 0 });
  });

  it("does not consume a task twice: batches that were written stay, and the version goes on", async () => {
    const { args, out, storage, folder, openGate } = gatedJob(4, 2);
    const [trained, trainer] = [join(folder, "trained"), join(folder, "train.sh")];
    writeFileSync(trainer, `echo "$ROLLTAPE_VERSION $ROLLTAPE_BATCH" >> ${trained}\n`);
    const more = ["rollout.consumer_batch_size=2", "rollout.max_staleness=2", "--trainer", `sh ${trainer}`];
    const job = [...args, "--agent", AGENT, storage, ...more];
    const killed = rolltape(job);
    await killed.loggedMatch(/(an agent waits on \S+\n[^]*){2}/);
    await expect.poll(() => existsSync(out.replace("batch.", "batch-00001.")), { timeout: 60_000 }).toBe(true);
    killed.process.kill("SIGKILL");
    await killed.ended;
    openGate();
    const resumed = await runRolltape([...job, "--resume"]);
    expect(resumed).toMatchObject({ code: 0 });
    expect(resumed.stdout).toMatch(/^episodes +6 accepted, 0 rejected\n/);
    expect(rewardsIn(out).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5]);
    const steps = new Set(readFileSync(trained, "utf8").trim().split("\n"));
    // A step that was killed with the job runs again; none is left out.
    expect([...steps].map((step) => /^(\d) .*batch-0000(\d)\.safetensors$/.exec(step)?.slice(1))).toEqual([
      ["1", "0"],
      ["2", "1"],
      ["3", "2"],
    ]);
  });

  it("refuses another job, and a folder that is not set", async () => {
    const { args, storage, folder } = gatedJob(1, 1);
    const killed = rolltape([...args, "--agent", AGENT, storage]);
    await killed.logged("an agent waits");
    killed.process.kill("SIGKILL");
    await killed.ended;
    const other = await runRolltape([...args, "--agent", AGENT, storage, "--resume", "--group-size", "2"]);
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining("has another job (2 tasks)") as string });
    const unset = await runRolltape([...args, "--agent", AGENT, "--resume"]);
    expect(unset).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--resume requires storage.directory") as string,
    });
    expect(existsSync(join(folder, "out", "batch.safetensors"))).toBe(false);
  });
});

/** Starts a proxy, and creates a job of five tasks whose controller can be started several times. */
async function controlledJob(setting: string) {
  const proxy = await rolltape(["serve", "server.port=0", "server.shutdown_seconds=0"], env).ready();
  const { args, out, storage, folder, openGate } = gatedJob(2, 3);
  const file = join(folder, "controller.json");
  const [, ...job] = args;
  const start = (...more: string[]) =>
    rolltape(["controller", ...job, "--proxy", proxy.url, "--url-file", file, storage, setting, ...more], env);
  return { proxy, file, start, out, openGate };
}

describe("a controller that is killed", TIMES, () => {
  it("goes on with the running tasks of its workers, which report to the next controller", async () => {
    const { proxy, file, start, out, openGate } = await controlledJob("rollout.max_attempts=1");
    const first = start();
    const worker = rolltape(["worker", "--controller", file, "--agent", AGENT], env);
    await worker.loggedMatch(/(an agent waits on \S+\n[^]*){3}/);
    await first.logged("episodes 2/5");
    first.process.kill("SIGKILL");
    await worker.logged("the controller does not answer");
    openGate();
    // No attempt is lost: with max_attempts=1, each lost one would reject its task.
    const second = start("--resume");
    expect(await second.ended).toMatchObject({ code: 0 });
    expect(await worker.ended).toMatchObject({ code: 0 });
    expect(rewardsIn(out)).toEqual([0, 1, 2, 3, 4]);
    expect(await listSessions(proxy.url)).toEqual([]);
  });

  it("runs the tasks of workers again that were killed with it, and deletes their sessions", async () => {
    const { proxy, file, start, out, openGate } = await controlledJob("rollout.lease_seconds=2");
    const first = start();
    const worker = () => rolltape(["worker", "--controller", file, "--agent", AGENT], env);
    const killed = worker();
    await killed.loggedMatch(/(an agent waits on \S+\n[^]*){3}/);
    await first.logged("episodes 2/5");
    for (const each of [first, killed]) each.process.kill("SIGKILL");
    openGate();
    const second = start("--resume");
    const last = worker();
    expect(await second.ended).toMatchObject({ code: 0 });
    expect(await last.ended).toMatchObject({ code: 0 });
    expect(rewardsIn(out)).toEqual([0, 1, 2, 3, 4]);
    expect(await listSessions(proxy.url)).toEqual([]);
  });
});
