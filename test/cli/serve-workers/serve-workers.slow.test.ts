import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { ensureTinyModel } from "../../../src/engine/index.js";
import { HttpTrainer } from "../../helpers/http-trainer.js";
import { isGone } from "../../helpers/is-gone.js";
import { readSafetensors } from "../../helpers/safetensors.js";
import { type SglangServer, startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { until } from "../../helpers/until.js";
import { type Ended, type Rolltape, rolltape, runRolltape, temporaryFolder } from "../rolltape.js";

const KEY = "sk-admin-0123456789abcdef";
const TIMES = { timeout: 120_000 };
const POLL = { timeout: 60_000, interval: 50 };
const ASK = [{ role: "user", content: "hello" }];

interface WorkerHealth {
  readonly tag: string;
  readonly status: string;
}
interface ProcessHealth {
  readonly name: string;
  readonly status: string;
  readonly restarts: number;
  readonly tag: string;
  readonly ended?: string;
}
interface Health {
  readonly workers: readonly WorkerHealth[];
  readonly processes: readonly ProcessHealth[];
}

interface Session {
  readonly id: string;
  readonly key: string;
  readonly baseUrl: string;
}

/** A command with two workers, behind which is a test engine. */
class Served {
  readonly url: string;
  readonly probeUrl: string | undefined;
  readonly server: Rolltape;
  readonly engine: SglangServer;
  readonly trainer: HttpTrainer;
  readonly workers: readonly {
    readonly name: string;
    readonly tag: string;
    readonly url: string;
    readonly pid: number;
  }[];

  private constructor(server: Rolltape, engine: SglangServer, ready: Awaited<ReturnType<Rolltape["ready"]>>) {
    this.server = server;
    this.engine = engine;
    this.url = ready.url;
    this.probeUrl = ready.probe_url;
    this.workers = ready.workers ?? [];
    this.trainer = new HttpTrainer(ready.url, KEY);
  }

  static async start(...overrides: string[]): Promise<Served> {
    const engine = await startSglangServer();
    onTestFinished(() => engine.close());
    const args = await serveArgs(engine.url, "server.workers=2", ...overrides);
    const server = rolltape(args, { ROLLTAPE_ADMIN_API_KEY: KEY, TMPDIR: temporaryFolder() });
    return new Served(server, engine, await server.ready());
  }

  async startSession(): Promise<Session> {
    await this.trainer.post("/grant_capacity", {});
    const reply = await (await this.trainer.post("/rl/start_session", {})).json();
    const { session_id: id, session_api_key: key, base_url: baseUrl } = reply as Record<string, string>;
    return { id: String(id), key: String(key), baseUrl: String(baseUrl) };
  }

  /** Starts a session on each worker, in the order of the workers. */
  async startOnBoth(): Promise<[Session, Session]> {
    const sessions = [await this.startSession(), await this.startSession()];
    const at = (index: number) => {
      const found = sessions.find(({ id }) => readTag(id) === this.workers[index]?.tag);
      if (!found) throw new Error(`no session is on worker ${index}`);
      return found;
    };
    return [at(0), at(1)];
  }

  async finish({ key }: Session): Promise<void> {
    await this.trainer.post("/rl/set_reward", { reward: 1 }, key);
    await this.trainer.post("/rl/end_session", {}, key);
  }

  async health(): Promise<Health> {
    return (await (await fetch(`${this.url}/health`)).json()) as Health;
  }

  kill(index: number, signal: NodeJS.Signals = "SIGKILL"): void {
    process.kill(this.workers[index]?.pid ?? 0, signal);
  }

  /** Waits until a process has this status, and returns it. */
  async reaches(index: number, status: string): Promise<ProcessHealth> {
    for (;;) {
      const found = (await this.health()).processes[index];
      if (found?.status === status) return found;
      await sleep(50);
    }
  }

  stop(): Promise<Ended> {
    this.server.process.kill("SIGTERM");
    return this.server.ended;
  }
}

async function serveArgs(engineUrl: string, ...overrides: string[]): Promise<string[]> {
  const { folder } = await ensureTinyModel();
  const engine = ["engine.type=sglang", `engine.urls=${engineUrl}`, `model.path=${folder}`];
  return ["serve", "server.port=0", ...engine, ...overrides];
}

/** Calls the model at an address. Returns the status, and the code of an error. */
async function chat(url: string, key: string): Promise<string> {
  const reply = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages: ASK, max_tokens: 4 }),
  });
  const { error } = (await reply.json()) as { error?: { code: string } };
  return error ? `${reply.status} ${error.code}` : String(reply.status);
}

const readTag = (sessionId: string) => sessionId.split("-").at(-2);
const readRows = (batch: Uint8Array) =>
  JSON.parse(String(readSafetensors(batch).metadata["rows"])) as { session_id: string }[];
const readLog = ({ stderr }: Ended) =>
  stderr
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("rolltape serve with several workers", TIMES, () => {
  it("serves sessions of all workers at one address and at their own, and exports them as one batch", async () => {
    const served = await Served.start("server.store_bytes=1000000001", "engine.max_inflight=5");
    const sessions = await served.startOnBoth();
    for (const [index, session] of sessions.entries()) {
      expect(session.baseUrl).toBe(served.workers[index]?.url);
      expect(await chat(served.url, session.key)).toBe("200");
      expect(await chat(session.baseUrl, session.key)).toBe("200");
      await served.finish(session);
    }
    const ids = sessions.map(({ id }) => id);
    const rows = readRows(await served.trainer.exportBatch(ids, { style: "individual" }));
    expect(rows.map(({ session_id }) => session_id)).toEqual(ids.flatMap((id) => [id, id]));

    const metrics = await (await fetch(`${served.url}/metrics`)).text();
    for (const { tag } of served.workers) {
      expect(metrics).toContain(`rolltape_store_limit_bytes{worker="${tag}"} 500000001\n`);
    }
    const ended = await served.stop();
    expect(ended.code).toBe(0);
    expect(served.workers.every(({ pid }) => isGone(pid))).toBe(true);
    const log = readLog(ended);
    expect(log).toContainEqual(
      expect.objectContaining({
        workers: 2,
        setting: 2,
        cores: availableParallelism(),
        budgets: expect.objectContaining({ "engine.max_inflight": 3 }) as object,
      }),
    );
    for (const name of ["worker-0", "worker-1"]) {
      expect(log).toContainEqual(expect.objectContaining({ worker: name, msg: "stopped" }));
    }
  });

  it("returns no addresses of workers with gateway.direct=false, and listens for them on loopback only", async () => {
    const served = await Served.start("gateway.direct=false", "server.host=0.0.0.0");
    expect((await served.startSession()).baseUrl).toBe("undefined");
    expect(served.workers.map(({ url }) => new URL(url).hostname)).toEqual(["127.0.0.1", "127.0.0.1"]);
  });

  it("gives agents the advertised host, and warns if it does not reach the workers there", async () => {
    const served = await Served.start("server.host=0.0.0.0", "server.advertised_host=127.0.0.1");
    const session = await served.startSession();
    expect(new URL(session.baseUrl).hostname).toBe("127.0.0.1");
    expect(await chat(session.baseUrl, session.key)).toBe("200");
    const unreached = await Served.start("server.advertised_host=no-such-host.invalid");
    await unreached.server.logged("the gateway does not reach a worker at the address that it registered");
    expect((await unreached.health()).workers.map(({ status }) => status)).toEqual(["down", "down"]);
  });

  it("answers probes at one port for all workers, and shows the sessions at the workers' addresses", async () => {
    const served = await Served.start("server.probe_port=0", "server.ui=true");
    const health = await served.health();
    await expect.poll(async () => (await fetch(`${served.probeUrl}/readyz`)).json(), POLL).toEqual(health);
    expect(health).toMatchObject({ status: "ok", processes: [{ name: "worker-0" }, { name: "worker-1" }] });
    const pages = [served.url, ...served.workers.map(({ url }) => url)].map((url) => fetch(`${url}/ui/`));
    expect((await Promise.all(pages)).map(({ status }) => status)).toEqual([404, 200, 200]);
    expect((await served.stop()).stderr.match(/probes are answered/g)).toHaveLength(1);
  });

  it("answers probes while the workers start", async () => {
    const args = await serveArgs("http://127.0.0.1:9", "server.workers=2", "server.probe_port=0");
    const server = rolltape(args, { ROLLTAPE_ADMIN_API_KEY: KEY, TMPDIR: temporaryFolder() });
    const [, probeUrl] = await server.loggedMatch(/"url":"([^"]+)","msg":"probes are answered"/);
    const reply = await fetch(`${probeUrl}/readyz`);
    expect({ status: reply.status, body: await reply.json() }).toMatchObject({
      status: 503,
      body: { status: "starting" },
    });
    expect((await server.ready()).probe_url).toBe(probeUrl);
  });

  it("logs each request of the gateway and of the workers with server.access_log", async () => {
    const served = await Served.start("server.access_log=true");
    const { key, id } = await served.startSession();
    expect(await chat(served.url, key)).toBe("200");
    const path = "/v1/chat/completions";
    const lines = readLog(await served.stop()).filter((line) => line["path"] === path);
    const tag = readTag(id);
    const name = served.workers.find((worker) => worker.tag === tag)?.name;
    expect(lines).toHaveLength(2);
    expect(new Set(lines.map(({ worker }) => worker))).toEqual(new Set([name, undefined]));
  });

  it("registers its workers in server.workers_folder, where other gateways find them", async () => {
    const folder = join(temporaryFolder(), "workers");
    const served = await Served.start(`server.workers_folder=${folder}`);
    const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
    expect(names.sort()).toEqual(served.workers.map(({ tag }) => `${tag}.json`).sort());
  });

  it("writes a random admin key to a file, which its workers accept, and removes the file at the end", async () => {
    const engine = await startSglangServer();
    onTestFinished(() => engine.close());
    const file = join(temporaryFolder(), "key");
    const args = await serveArgs(engine.url, "server.workers=2", `rollout.agent.key_file=${file}`);
    const server = rolltape(args, { TMPDIR: temporaryFolder() });
    const { url, admin_key_file } = await server.ready();
    expect(admin_key_file).toBe(file);
    const trainer = new HttpTrainer(url, readFileSync(file, "utf8").trim());
    const id = await trainer.converse("rain", 1, { max_tokens: 4 });
    expect(readRows(await trainer.exportBatch([id]))).toHaveLength(1);
    server.process.kill("SIGTERM");
    expect(await server.ended).toMatchObject({ code: 0 });
    expect(existsSync(file)).toBe(false);
  });
});

describe("a worker that dies", TIMES, () => {
  it("loses its sessions, and only these, and is restarted", async () => {
    const served = await Served.start();
    const [lost, kept] = await served.startOnBoth();
    expect(await chat(served.url, kept.key)).toBe("200");
    served.kill(0);
    await served.server.logged("a proxy worker ended with SIGKILL; its sessions are lost, and it is restarted");
    expect(await chat(served.url, kept.key)).toBe("200");
    expect(await chat(kept.baseUrl, kept.key)).toBe("200");
    expect(await served.reaches(0, "ready")).toMatchObject({ restarts: 1, ended: "SIGKILL" });
    expect(await chat(served.url, lost.key)).toBe("503 worker_unavailable");
    const { processes } = await served.health();
    expect(processes[1]).toEqual({ name: "worker-1", status: "ready", restarts: 0, tag: served.workers[1]?.tag });
    const tag = processes[0]?.tag;
    expect(tag).not.toBe(served.workers[0]?.tag);
    await expect
      .poll(async () => (await served.health()).workers, POLL)
      .toContainEqual(expect.objectContaining({ tag, status: "ok" }));
    const more = await Promise.all([served.startSession(), served.startSession()]);
    expect(more.map(({ id }) => readTag(id))).toContain(tag);
    await served.finish(kept);
    expect(readRows(await served.trainer.exportBatch([kept.id], { style: "individual" }))).toHaveLength(3);
  });

  it("loses nothing with storage, and returns with its tag at its address", async () => {
    const served = await Served.start(`storage.directory=${join(temporaryFolder(), "data")}`);
    const sessions = await served.startOnBoth();
    const [first, second] = sessions;
    for (const { key } of sessions) expect(await chat(served.url, key)).toBe("200");
    served.kill(0);
    // A call that is in flight when the worker dies ends with 503, because the worker may have recorded it.
    await served.server.logged("a proxy worker ended with SIGKILL; its sessions wait for it, and it is restarted");
    // The gateway holds this call until the worker is back.
    expect(await chat(served.url, first.key)).toBe("200");
    expect(await chat(served.url, second.key)).toBe("200");
    expect(await served.reaches(0, "ready")).toMatchObject({ restarts: 1, tag: served.workers[0]?.tag });
    expect(await chat(first.baseUrl, first.key)).toBe("200");
    for (const session of sessions) await served.finish(session);
    const ids = sessions.map(({ id }) => id);
    const rows = readRows(await served.trainer.exportBatch(ids, { style: "individual" }));
    expect(rows.map(({ session_id }) => session_id)).toEqual([first.id, first.id, first.id, second.id, second.id]);
  });

  it("is given up if it dies again and again; without any worker, the command ends with status 1", async () => {
    const directory = join(temporaryFolder(), "data");
    const served = await Served.start(`storage.directory=${directory}`, "gateway.worker_return_seconds=0");
    const [lost, kept] = await served.startOnBoth();
    const fail = async (index: number) => {
      served.kill(index);
      await until(() => isGone(served.workers[index]?.pid ?? 0));
      writeFileSync(join(directory, `worker-${index}`, "manifest"), "not a manifest");
    };
    await fail(0);
    expect(await served.reaches(0, "failed")).toMatchObject({ restarts: 5 });
    await served.server.logged("and it is not restarted");
    expect(await chat(served.url, lost.key)).toBe("503 worker_unavailable");
    expect(await chat(served.url, kept.key)).toBe("200");
    await fail(1);
    const ended = await served.server.ended;
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("no worker is left: each died too often and is not restarted");
  });
});

describe("a stop of several workers", TIMES, () => {
  it("waits for calls in flight and exports of ended sessions", async () => {
    const served = await Served.start("server.probe_port=0");
    const [first, second] = await served.startOnBoth();
    expect(await chat(served.url, first.key)).toBe("200");
    await served.finish(first);
    await fetch(`${served.engine.url}/pause_generation`, { method: "POST", body: '{"mode":"in_place"}' });
    const before = served.engine.to("/generate").length;
    const call = chat(served.url, second.key);
    await until(() => served.engine.to("/generate").length > before);
    served.server.process.kill("SIGTERM");
    await served.server.logged('"msg":"the stop waits for what is not finished"');
    expect(await (await fetch(`${served.probeUrl}/readyz`)).json()).toMatchObject({ status: "draining" });
    await fetch(`${served.engine.url}/continue_generation`, { method: "POST", body: "{}" });
    expect(await call).toBe("200");
    expect(readRows(await served.trainer.exportBatch([first.id]))).toHaveLength(1);
    expect(await served.server.ended).toMatchObject({ code: 0 });
  });

  it("ends with status 3 if an ended session of one worker was not exported", async () => {
    const served = await Served.start("server.shutdown_seconds=0");
    const session = await served.startSession();
    expect(await chat(served.url, session.key)).toBe("200");
    await served.finish(session);
    const ended = await served.stop();
    expect(ended.code).toBe(3);
    const lines = readLog(ended).filter(({ ids }) => Array.isArray(ids) && ids.includes(session.id));
    expect(lines).toMatchObject([{ worker: expect.stringMatching(/^worker-\d$/) as string }]);
  });

  it("ends with the workers if the command is killed", async () => {
    const served = await Served.start();
    served.server.process.kill("SIGKILL");
    await until(() => served.workers.every(({ pid }) => isGone(pid)));
    expect(await served.server.ended).toMatchObject({ code: null });
  });
});

describe("the storage folder of several workers", TIMES, () => {
  it("has the sessions of all workers after a restart, and is refused with fewer workers", async () => {
    const storage = `storage.directory=${join(temporaryFolder(), "data")}`;
    const before = await Served.start(storage);
    const sessions = await before.startOnBoth();
    for (const { key } of sessions) expect(await chat(before.url, key)).toBe("200");
    expect(await before.stop()).toMatchObject({ code: 0 });

    const after = await Served.start(storage);
    for (const session of sessions) {
      expect(await chat(after.url, session.key)).toBe("200");
      await after.finish(session);
    }
    expect(readRows(await after.trainer.exportBatch(sessions.map(({ id }) => id)))).toHaveLength(4);
    expect(await after.stop()).toMatchObject({ code: 0 });

    const single = rolltape(await serveArgs(after.engine.url, storage), { ROLLTAPE_ADMIN_API_KEY: KEY });
    await single.ready();
    await single.logged(
      "has sessions of workers, which a single server does not use; set server.workers=2 to use them",
    );
    single.process.kill("SIGTERM");
    await single.ended;
    const refused = await runRolltape(await serveArgs(after.engine.url, storage, "server.workers=3"));
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("has the sessions of a single server");
  });
});

describe("several workers that cannot start", TIMES, () => {
  it("are refused with the embedded engine, with the reason", async () => {
    const { code, stdout, stderr } = await runRolltape(["serve", "server.workers=2"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^ {2}server\.workers: expected 1, because engine\.type is embedded and each worker would/m);
  });

  it("end with the status and the message of the first one", async () => {
    const args = await serveArgs("http://127.0.0.1:9", "server.workers=2", `model.path=${temporaryFolder()}`);
    const { code, stdout, stderr } = await runRolltape(args, { ROLLTAPE_ADMIN_API_KEY: KEY });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/a proxy worker did not start: .*ended with status 2/);
    expect(stderr).toMatch(/^ {2}model\.path: .*tokenizer/m);
  });

  it("leave no worker behind if the address is taken", async () => {
    const served = await Served.start();
    const args = await serveArgs(served.engine.url, "server.workers=2", `server.port=${new URL(served.url).port}`);
    const second = await runRolltape(args, { ROLLTAPE_ADMIN_API_KEY: KEY });
    expect(second).toMatchObject({ code: 1, stdout: "" });
    expect(second.stderr).toMatch(/^rolltape: .*EADDRINUSE/m);
    const [, pid] = /"workerPid":(\d+)/.exec(second.stderr) ?? [];
    expect(isGone(Number(pid))).toBe(true);
  });
});
