import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type JobInput, jobSchema } from "../../src/scheduler/job.js";
import { LocalLauncher } from "../../src/scheduler/local/local-launcher.js";
import { runJob } from "../../src/scheduler/supervisor.js";
import { temporaryFolder } from "../cli/rolltape.js";
import { isGone } from "../helpers/is-gone.js";
import { until } from "../helpers/until.js";
import { batchSessions, readEpisodes, readProcesses, rolloutJob } from "./job.js";

const shell = (script: string) => ["sh", "-c", script];

function smallJob(folder: string, roles: JobInput["roles"], rest: Partial<JobInput> = {}) {
  return jobSchema.parse({ folder, stop_seconds: 2, ...rest, roles });
}

/** The lines of a file that processes append to. */
function readLines(folder: string, name = "log"): string[] {
  return readFileSync(join(folder, name), "utf8").trim().split("\n");
}

describe("a rollout job on this machine", () => {
  it("runs proxies, a gateway, rollout workers and a controller, writes one batch, and leaves nothing running", async () => {
    const folder = temporaryFolder();
    await runJob(rolloutJob({ folder, workers: 2, tasks: 6 }));
    const episodes = readEpisodes(folder);
    expect(episodes.map(({ error }) => error)).toEqual(Array.from({ length: 6 }, () => undefined));
    expect(batchSessions(folder)).toEqual(episodes.map(({ session_id }) => session_id));
    expect(readProcesses(folder).map(({ role, state }) => `${role} ${state}`)).toEqual([
      "proxy stopped",
      "proxy stopped",
      "gateway stopped",
      "rollout done",
      "rollout done",
      "controller done",
    ]);
    expect(readdirSync(join(folder, "workers"))).toEqual([]);
    expect(readdirSync(join(folder, "logs")).sort()).toContain("proxy-1.err");
  });
});

describe("the processes of a job", () => {
  const stay = "trap 'echo stop {index} >> {folder}/log; exit 0' TERM; while :; do sleep 0.05; done";

  it("start role by role, know each other's addresses, and stop in the opposite order", async () => {
    const folder = temporaryFolder();
    const announce = (name: string) =>
      `echo ${name} >> {folder}/log; echo '{"url":"http://127.0.0.1:{port}"}'; trap 'echo stop ${name} >> {folder}/log; exit 0' TERM; while :; do sleep 0.05; done`;
    await runJob(
      smallJob(folder, [
        { role: "controller", command: shell("echo controller '{engine_urls}' '{proxy_url}' >> {folder}/log") },
        { role: "engine", command: shell(announce("engine")), ready: "line" },
        { role: "proxy", command: shell(announce("proxy")), ready: "line" },
      ]),
    );
    const [first, second, third, ...rest] = readLines(folder);
    expect([first, second]).toEqual(["engine", "proxy"]);
    expect(third).toMatch(/^controller \["http:\/\/127\.0\.0\.1:\d+"\] http:\/\/127\.0\.0\.1:\d+$/);
    expect(rest).toEqual(["stop proxy", "stop engine"]);
  });

  it("are ready when a URL answers", async () => {
    const folder = temporaryFolder();
    const server = "require('http').createServer((_, r) => r.end()).listen(Number(process.argv[1]))";
    await runJob(
      smallJob(folder, [
        {
          role: "engine",
          command: [process.execPath, "-e", server, "{port}"],
          ready: { url: "http://{node}:{port}/health" },
        },
        { role: "controller", command: shell("echo '{engine_urls}' >> {folder}/log") },
      ]),
    );
    expect(readLines(folder)[0]).toMatch(/^\["http:\/\/127\.0\.0\.1:\d+"\]$/);
  });

  it("restart up to their limit; the job goes on without one of many", async () => {
    const folder = temporaryFolder();
    const failing = `echo try {index} >> {folder}/log; [ {index} = 0 ] && exit 3; ${stay}`;
    const untilLost = "until grep -q lost {folder}/processes.json; do sleep 0.05; done";
    await runJob(
      smallJob(folder, [
        { role: "rollout", count: 2, command: shell(failing), restarts: 2 },
        { role: "controller", command: shell(untilLost) },
      ]),
    );
    expect(readLines(folder).filter((line) => line === "try 0")).toHaveLength(3);
    expect(readLines(folder).filter((line) => line === "try 1")).toHaveLength(1);
    expect(readProcesses(folder)[0]).toMatchObject({ state: "lost", restarts: 2, ended: "ended with status 3" });
  });

  it("fail the job if all processes of a role are lost, or the controller fails", async () => {
    const dying = smallJob(temporaryFolder(), [
      { role: "rollout", count: 2, command: shell("exit 4"), restarts: 0 },
      { role: "controller", command: shell("sleep 600") },
    ]);
    await expect(runJob(dying)).rejects.toMatchObject({
      code: "job_failed",
      message: expect.stringMatching(/role rollout.*status 4/) as string,
    });
    const failing = smallJob(temporaryFolder(), [{ role: "controller", command: shell("exit 5"), restarts: 0 }]);
    await expect(runJob(failing)).rejects.toMatchObject({
      code: "job_failed",
      message: expect.stringMatching(/controller.*status 5/) as string,
    });
    const absent = smallJob(temporaryFolder(), [{ role: "controller", command: ["/no/such/program"], restarts: 0 }]);
    await expect(runJob(absent)).rejects.toMatchObject({
      code: "job_failed",
      message: expect.stringMatching(/did not start/) as string,
    });
  });

  it("are reported with the end of their log if they fail the job, without that of an earlier run", async () => {
    const folder = temporaryFolder();
    const failing = (script: string) =>
      smallJob(folder, [
        { role: "proxy", count: 1, command: shell(script), restarts: 0, ready: "line" },
        { role: "controller", command: shell("sleep 600") },
      ]);
    const log = join(folder, "logs/proxy-0.err");
    await expect(runJob(failing("seq 1 9000 >&2; echo no such model >&2; exit 2"))).rejects.toMatchObject({
      message: `All processes of role proxy are lost. The first one ended with status 2. Its log, ${log}, ends with:\n8997\n8998\n8999\n9000\nno such model`,
    });
    await expect(runJob(failing("exit 2"))).rejects.toMatchObject({
      message: `All processes of role proxy are lost. The first one ended with status 2. It wrote nothing to its log, ${log}.`,
    });
    const controller = { role: "controller" as const, command: shell("echo bad batch >&2; exit 3"), restarts: 0 };
    await expect(runJob(smallJob(folder, [controller]))).rejects.toMatchObject({
      message: `The controller ended with status 3. Its log, ${join(folder, "logs/controller-0.err")}, ends with:\nbad batch`,
    });
  });

  it("count as failed if they are not ready in time", async () => {
    const folder = temporaryFolder();
    const job = smallJob(folder, [
      { role: "engine", command: shell("sleep 600"), ready: "line", ready_seconds: 0.2, restarts: 1 },
      { role: "controller", command: shell("true") },
    ]);
    await expect(runJob(job)).rejects.toMatchObject({
      code: "job_failed",
      message: expect.stringMatching(/not ready in time/) as string,
    });
  });

  it("count as failed if their program cannot be executed", async () => {
    const folder = temporaryFolder();
    const job = smallJob(folder, [
      { role: "rollout", command: shell("echo $$ > {folder}/rollout; exec sleep 600") },
      { role: "controller", command: ["/etc/hostname/program"], restarts: 1 },
    ]);
    await expect(runJob(job)).rejects.toMatchObject({
      code: "job_failed",
      message: expect.stringMatching(/controller did not start.*ENOTDIR/) as string,
    });
    expect(readProcesses(folder)).toMatchObject([{ state: "stopped" }, { state: "lost", restarts: 1 }]);
  });

  it("leave no child behind that could block a restart", async () => {
    const folder = temporaryFolder();
    const forking = "sleep 600 & echo $! >> {folder}/children; exit 3";
    const job = smallJob(folder, [
      { role: "rollout", command: shell(forking), restarts: 1 },
      { role: "controller", command: shell("sleep 600") },
    ]);
    await expect(runJob(job)).rejects.toMatchObject({ code: "job_failed" });
    const children = readLines(folder, "children").map(Number);
    expect(children).toHaveLength(2);
    await until(() => children.every((child) => isGone(child)));
  });

  it("get another port if theirs is taken, and never the port of another process", async () => {
    const folder = temporaryFolder();
    const taking = "require('net').createServer().listen(Number(process.argv[1]), () => process.stdout.write('x'))";
    const launcher = new LocalLauncher();
    const launch = async (index: number, command: string[]) => {
      const files = { output: join(folder, `${index}.out`), errors: join(folder, `${index}.err`) };
      const process = await launcher.launch({ role: "engine", index, command, env: {}, ...files });
      return { process, port: await process.started(AbortSignal.timeout(60_000)) };
    };
    const first = await launch(0, [process.execPath, "-e", taking, "{port}"]);
    await until(() => readFileSync(join(folder, "0.out"), "utf8") === "x");
    expect((await launch(0, ["true"])).port).not.toBe(first.port);
    await first.process.stop(1);
    const ports = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => (await launch(index, ["true"])).port),
    );
    expect(new Set(ports).size).toBe(40);
  });

  it("stop when the job is stopped, including those that ignore SIGTERM, and their children", async () => {
    const folder = temporaryFolder();
    const stubborn = "trap '' TERM; sh -c 'trap \"\" TERM; echo $$ > {folder}/child; while :; do sleep 0.05; done'";
    const job = smallJob(folder, [{ role: "controller", command: shell(stubborn) }], { stop_seconds: 0.2 });
    const stop = new AbortController();
    const running = runJob(job, { signal: stop.signal });
    const stopped = running.catch((error: { code: string }) => error.code);
    await until(() => existsSync(join(folder, "child")) && readLines(folder, "child")[0] !== "");
    stop.abort();
    expect(await stopped).toBe("job_stopped");
    const child = Number(readLines(folder, "child")[0]);
    await until(() => isGone(child));
  });
});
