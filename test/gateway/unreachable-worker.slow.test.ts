import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { registerWorker } from "../../src/admin-api/worker-registration.js";
import { readFirstLine } from "../../src/support/processes/ready-line.js";
import { rolltape, temporaryFolder } from "../cli/rolltape.js";
import { HttpTrainer } from "../helpers/http-trainer.js";
import { Gateway, startWorker } from "./workers.js";

/** Real processes: a worker that is stopped with SIGSTOP, and an address at which packets are dropped. */

const TIMES = { timeout: 60_000 };
const ADMIN = "sk-admin-of-many-workers";
/** Not a whole number of milliseconds: `AbortSignal.timeout` throws for fractions. */
const LIMITS = ["gateway.unreachable_seconds=1.005", "gateway.worker_return_seconds=0"];

const tagOf = (sessionId: string) => sessionId.split("-").at(-2);

/** Posts and returns status and error code. */
async function send(url: string, path: string, key: string, body: object): Promise<string> {
  const reply = await fetch(url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (reply.ok) {
    await reply.arrayBuffer();
    return String(reply.status);
  }
  const { error } = (await reply.json()) as { error: { code: string } };
  return `${reply.status} ${error.code}`;
}

const messages = [{ role: "user", content: "hello" }];

describe("a worker that is stopped with SIGSTOP", TIMES, () => {
  it("loses its calls and new sessions to the other worker, and its sessions go on after SIGCONT", async () => {
    const folder = join(temporaryFolder(), "workers");
    const env = { ROLLTAPE_ADMIN_API_KEY: ADMIN };
    const serve = (tag: string) =>
      rolltape(["serve", "server.port=0", `server.worker_tag=${tag}`, `server.workers_folder=${folder}`], env);
    const [one, two] = [serve("one"), serve("two")];
    await Promise.all([one.ready(), two.ready()]);
    const running = rolltape(["gateway", "server.port=0", `gateway.workers_folder=${folder}`, ...LIMITS], env);
    const { url } = await running.line<{ url: string }>();
    const trainer = new HttpTrainer(url, ADMIN);
    const sessions = [await trainer.openSession(), await trainer.openSession()];
    const stopped = sessions.find(({ id }) => tagOf(id) === "one");
    const other = sessions.find(({ id }) => tagOf(id) === "two");
    if (!stopped || !other) throw new Error("each worker has a session");
    const turn = { messages, max_tokens: 4 };
    for (const { key } of sessions) await trainer.chat(key, messages, { max_tokens: 4 });

    one.process.kill("SIGSTOP");
    const answers = await Promise.all([
      send(url, "/v1/chat/completions", stopped.key, turn),
      send(url, "/v1/chat/completions", stopped.key, { ...turn, stream: true }),
      send(url, "/rl/set_reward", stopped.key, { reward: 1 }),
      send(url, "/export_batch", ADMIN, { session_ids: [stopped.id, other.id], wait_seconds: 600 }),
      send(url, "/grant_capacity", ADMIN, { slots: 2 }),
      send(url, "/v1/chat/completions", other.key, turn),
    ]);
    const refusal = "503 worker_unavailable";
    expect(answers).toEqual([refusal, refusal, refusal, refusal, "200", "200"]);
    expect(tagOf((await trainer.openSession()).id)).toBe("two");
    expect((await fetch(`${url}/health`)).status).toBe(200);

    one.process.kill("SIGCONT");
    await expect.poll(() => send(url, "/v1/chat/completions", stopped.key, turn), { timeout: 30_000 }).toBe("200");
    expect(await send(url, "/rl/set_reward", stopped.key, { reward: 1 })).toBe("200");
  });
});

/**
 * Listens with the shortest queue and never accepts a connection, because its only thread sleeps. When the queue is full, the
 * operating system drops the packets of further connections.
 */
const DEAF = `
  const server = require("node:net").createServer().listen({ host: "127.0.0.1", port: 0, backlog: 1 }, () => {
    require("node:fs").writeSync(1, server.address().port + "\\n");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;

/** Starts a process at whose address connections are neither accepted nor refused. */
async function droppingAddress(): Promise<string> {
  const child: ChildProcess = spawn(process.execPath, ["-e", DEAF], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  if (!child.stdout) throw new Error("the process has no output");
  const port = Number(await readFirstLine(child.stdout));
  // These fill the queue: two are accepted by the operating system, the others wait for ever.
  const sockets = Array.from({ length: 4 }, () => connect({ host: "127.0.0.1", port }).on("error", () => undefined));
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
  await Promise.all(sockets.slice(0, 2).map((socket) => once(socket, "connect")));
  return `http://127.0.0.1:${port}`;
}

describe("an address that drops packets", TIMES, () => {
  it("does not affect other workers, and calls for its sessions get 503", async () => {
    const folder = temporaryFolder();
    const worker = await startWorker("two");
    registerWorker(folder, { url: await droppingAddress(), tag: "one" });
    registerWorker(folder, { url: worker.url, tag: "two" });
    const limits = { controlMilliseconds: 200, unreachableMilliseconds: 400 };
    const gateway = await Gateway.start({ folder }, 60, undefined, undefined, limits);
    const session = await gateway.session();
    expect((await gateway.chat(session.key, "hello")).status).toBe(200);
    await gateway.post("/rl/end_session", {}, session.key);

    const key = "sk-one.0123456789abcdef";
    const refused = await Promise.all([
      gateway.chat(key, "hello"),
      gateway.post("/rl/set_reward", { reward: 1 }, key),
      gateway.post("/export_trajectories", { session_id: "task-one-0" }),
      gateway.post("/export_batch", { session_ids: ["task-one-0", session.id] }),
      gateway.post("/rl/start_session", { api_key: key }),
    ]);
    expect(refused.map(({ refusal }) => refusal)).toEqual(refused.map(() => "503 worker_unavailable"));
    expect((await gateway.post("/grant_capacity", { slots: 2 })).status).toBe(200);
    expect((await gateway.get("/health", null)).status).toBe(200);
    expect((await gateway.post("/export_batch", { session_ids: [session.id] })).status).toBe(200);
  });
});
