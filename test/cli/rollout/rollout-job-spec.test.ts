import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { controllerCommand, rolloutCommand } from "../../../src/cli/rollout/job-command.js";
import { createRolloutJob } from "../../../src/cli/rollout/rollout-job-spec.js";
import type { RolloutOptions } from "../../../src/cli/rollout/rollout-options.js";
import { parseConfig } from "../../../src/config/index.js";

const OPTIONS: RolloutOptions = { data: "tasks.jsonl", out: "out/b.safetensors", layout: "padded" };

function makeJob(options: Partial<RolloutOptions> = {}, config: object = {}, overrides: readonly string[] = []) {
  const settings = {
    config: parseConfig(config),
    options: { ...OPTIONS, ...options },
    overrides,
    folder: "/job",
    adminKey: "key",
  };
  const job = createRolloutJob(settings);
  const role = (name: string) => job.roles.find((each) => each.role === name);
  /** The words of a role's command behind `rolltape`. */
  const words = (name: string) => {
    const { command = [] } = role(name) ?? {};
    return command.slice(command.findIndex((word) => word.endsWith("main.js")) + 1);
  };
  return { job, role, words };
}

describe("the job of a rollout", () => {
  it("has a proxy, a gateway, a worker and a controller on one machine", () => {
    const { job, role } = makeJob();
    expect(job.roles.map((each) => each.role)).toEqual(["proxy", "gateway", "rollout", "controller"]);
    expect([job.name, job.folder]).toEqual(["rolltape-rollout", "/job"]);
    expect(["proxy", "gateway", "rollout", "controller"].map((name) => role(name)?.count ?? 1)).toEqual([1, 1, 1, 1]);
    for (const { command, env } of job.roles) {
      expect(command[0]).toBe(process.execPath);
      expect(env).toEqual({ ROLLTAPE_ADMIN_API_KEY: "key" });
    }
  });

  it("has a proxy and a worker for each machine, unless their numbers are given", () => {
    const counts = (options: Partial<RolloutOptions>, config: object = {}) => {
      const { role } = makeJob(options, config);
      return [role("proxy")?.count, role("rollout")?.count];
    };
    expect(counts({ nodes: 3 })).toEqual([3, 3]);
    expect(counts({ nodes: 3, proxyWorkers: 2, workers: 5 })).toEqual([2, 5]);
    expect(counts({ nodes: 3 }, { rollout: { workers: 4 } })).toEqual([3, 4]);
  });

  it("starts its own engines, on which its proxies call", () => {
    const { role, words } = makeJob({ engineCommand: ["serve", "--port", "{port}"], engines: 2 });
    expect(role("engine")).toMatchObject({
      count: 2,
      command: ["serve", "--port", "{port}"],
      ready: { url: "http://{node}:{port}/health" },
    });
    expect(words("proxy")).toContain("engine.urls={engine_urls}");
    expect(makeJob().words("proxy")).not.toContain("engine.urls={engine_urls}");
    expect(makeJob({ engineCommand: ["a", "{port}"] }).role("engine")?.count).toBe(1);
  });

  it("gives each process the keys that it uses, and its own place", () => {
    const config = { storage: { directory: "store" }, rollout: {} };
    const { words } = makeJob({ config: "c.yaml", agent: "a.mjs" }, config, [
      "engine.type=embedded",
      "server.port=5",
      "rollout.lease_seconds=5",
    ]);
    expect(words("proxy")).toEqual([
      "serve",
      "server.shutdown_seconds=1",
      "rollout.agent.session_timeout_seconds=2147483",
      "--config",
      resolve("c.yaml"),
      "engine.type=embedded",
      "--started-by",
      "rollout",
      "server.host={node}",
      "server.port={port}",
      "server.probe_port=null",
      "server.socket=null",
      "server.workers_folder={folder}/workers",
      "server.workers=1",
      `storage.directory=${resolve("store")}/proxy-{index}`,
    ]);
    expect(words("gateway")).toEqual([
      "gateway",
      "--config",
      resolve("c.yaml"),
      "server.host={node}",
      "server.port={port}",
      "server.probe_port=null",
      "server.socket=null",
      "gateway.workers_folder={folder}/workers",
    ]);
    expect(words("rollout")).toEqual([
      "worker",
      "--controller",
      "{folder}/controller.json",
      "--proxy",
      "{proxy_url}",
      "--name",
      "worker-{index}",
      "--replace",
      "--agent",
      "a.mjs",
      "--config",
      resolve("c.yaml"),
    ]);
    expect(words("controller")).toEqual([
      "controller",
      "--proxy",
      "{gateway_url}",
      "--url-file",
      "{folder}/controller.json",
      "--started-by",
      "rollout",
      "--data",
      resolve("tasks.jsonl"),
      "--out",
      resolve("out/b.safetensors"),
      "--layout",
      "padded",
      "--sessions",
      resolve("out/b.safetensors.sessions"),
      "--config",
      resolve("c.yaml"),
      "rollout.lease_seconds=5",
      "server.host={node}",
      "--resume",
      "--job-database",
      "{folder}/state",
    ]);
  });

  it("waits for no worker that has lost its sessions with its process", () => {
    expect(makeJob().words("gateway")).toContain("gateway.worker_return_seconds=0");
    expect(
      makeJob()
        .words("proxy")
        .some((word) => word.startsWith("storage.directory")),
    ).toBe(false);
  });

  it("passes the options of the job on", () => {
    const { words } = makeJob({
      groupSize: 2,
      timeout: 5,
      trainer: ["a b", "c"],
      trainerMode: "persistent",
      writeWait: 0,
      fromVersion: 7,
      sessions: false,
      keepSessions: true,
      transcripts: false,
      metrics: false,
      jobDatabase: "postgres://a",
      command: ["python", "a.py"],
    });
    const text = words("controller").join(" ");
    expect(text).toContain(
      '--group-size 2 --timeout 5 --trainer ["a b","c"] --trainer-mode persistent --write-wait 0 --from-version 7',
    );
    expect(text).toContain("--keep-sessions --no-transcripts --no-metrics");
    expect(text).toContain("--job-database postgres://a");
    expect(text).not.toContain("--sessions ");
    expect(words("rollout").join(" ")).toContain('--command ["python","a.py"]');
    expect(makeJob({ sessions: "s" }).words("controller").join(" ")).toContain(`--sessions ${resolve("s")}`);
  });
});

describe("what a command uses", () => {
  const rollout = (options: Partial<RolloutOptions> = {}, config: object = {}) =>
    rolloutCommand(parseConfig(config), { ...OPTIONS, ...options });
  const lacks = (command: ReturnType<typeof rolloutCommand>) =>
    Object.entries(command.lacks ?? {})
      .flatMap(([name, why]) => (why === false || why === undefined ? [] : [name]))
      .toSorted();

  const always = ["gateway", "proxy", "running servers", "serve"];

  it.each<[Partial<RolloutOptions>, object, readonly string[], readonly string[]]>([
    [{}, {}, ["proxy"], ["Python agent", "subprocesses", "trainer", "worker processes"]],
    [
      { proxyWorkers: 2 },
      {},
      ["proxy", "gateway"],
      ["Python agent", "one proxy", "subprocesses", "trainer", "worker processes"],
    ],
    [{ proxyWorkers: 1 }, {}, ["proxy"], ["Python agent", "subprocesses", "trainer", "worker processes"]],
    [{ jobFolder: "/j" }, {}, ["proxy", "gateway"], ["Python agent", "subprocesses", "trainer"]],
    [{ proxy: "http://a" }, {}, [], ["Python agent", "subprocesses", "trainer", "worker processes"]],
    [{ trainer: ["a"], workers: 2 }, {}, ["proxy"], ["Python agent", "subprocesses"]],
    [{}, { rollout: { workers: 2 } }, ["proxy"], ["Python agent", "subprocesses", "trainer"]],
    [{ agent: "a.py:solve" }, {}, ["proxy"], ["choice of mode", "trainer", "worker processes"]],
    [{ command: ["a"] }, {}, ["proxy"], ["Python agent", "trainer", "worker processes"]],
    [{}, { rollout: { agent: { mode: "subproc" } } }, ["proxy"], ["Python agent", "trainer", "worker processes"]],
    [
      { engineCommand: ["a"], jobFolder: "/j" },
      {},
      ["proxy", "gateway"],
      ["Python agent", "running engines", "subprocesses", "trainer"],
    ],
  ])("rollout with %o and %o", (options, config, proxies, expected) => {
    const command = rollout(options, config);
    expect([command.name, command.runs]).toEqual(["rollout", ["rollout", "ownWorkers", "worker", "job", ...proxies]]);
    expect(lacks(command).filter((name) => !always.includes(name) && name !== "storage")).toEqual(expected);
  });

  it("rollout says why, and what to do", () => {
    expect(rollout().lacks).toMatchObject({
      gateway: "there is no gateway without `--proxy-workers` or `--job-folder`",
      trainer: "weights do not change without `--trainer`",
    });
    expect(rollout({ proxy: "http://a" }).lacks?.["gateway"]).toBe(
      "the proxy at `--proxy` has its own configuration; start it with this key",
    );
  });

  it("controller has its proxy and its workers elsewhere", () => {
    const elsewhere = "the proxy at `--proxy` has its own configuration; start it with this key";
    expect(controllerCommand({})).toEqual({
      name: "controller",
      runs: ["rollout", "controller"],
      lacks: {
        proxy: elsewhere,
        gateway: elsewhere,
        trainer: "weights do not change without `--trainer`",
        ownWorkers: "start workers with `rolltape worker`",
      },
    });
    expect(controllerCommand({ trainer: ["a"] }).lacks?.["trainer"]).toBe(false);
  });
});
