import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasPostgres } from "../../helpers/postgres-server.js";
import { startPostgres } from "../../job/start-postgres.js";
import { rolltape } from "../rolltape.js";
import { AGENT, readBatch, rolloutJob, TIMES } from "./rollout-job.js";

const env = { ROLLTAPE_ADMIN_API_KEY: "sk-admin-of-two-controllers" };
const REWARDS = Array.from({ length: 12 }, (_, reward) => reward);

describe.skipIf(!hasPostgres)("two controllers of a job in PostgreSQL", TIMES, () => {
  it("take turns: when the first is killed, the second goes on, and every task is once in the batch", async () => {
    const { url: database } = await startPostgres();
    const { folder, data, out, args } = rolloutJob([]);
    const gate = join(folder, "gate");
    const tasks = REWARDS.map((reward) => ({ question: "?", reward, ...(reward < 4 ? {} : { until: gate }) }));
    writeFileSync(data, tasks.map((task) => JSON.stringify(task)).join("\n"));
    const proxy = rolltape(["serve", "server.port=0"], env);
    const { url } = await proxy.ready();
    const urlFile = join(folder, "controller.json");
    const job = ["controller", ...args.slice(1), "--proxy", url, "--url-file", urlFile, "--resume"];
    const start = () => rolltape([...job, "--job-database", `${database}?schema=math_1`], env);
    const first = start();
    await first.line();
    const second = start();
    await second.logged("another controller has the job; waiting");
    const worker = rolltape(["worker", "--controller", urlFile, "--agent", AGENT], env);
    await worker.loggedMatch(/(an agent waits on \S+\n[^]*){8}/);
    const before: unknown = JSON.parse(readFileSync(urlFile, "utf8"));
    first.process.kill("SIGKILL");
    await first.ended;
    // The worker's episodes go on meanwhile, and their results are reported to the second controller.
    writeFileSync(gate, "");
    await second.line();
    const ended = await second.ended;
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toMatch(/\nepisodes +12 accepted, 0 rejected\n/);
    const rewards = [...(readBatch(out).rewards ?? [])];
    expect([...new Set(rewards)].toSorted((a, b) => a - b)).toEqual(REWARDS);
    expect(new Set(readBatch(out).sessions).size).toBe(REWARDS.length);
    expect(before).toMatchObject({ url: expect.any(String) as string });
    expect(existsSync(urlFile)).toBe(false);
    expect(await worker.ended).toMatchObject({ code: 0 });
  });
});
