import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ensureTinyModel } from "../../src/engine/index.js";
import { HttpTrainer } from "../helpers/http-trainer.js";
import { RawClient } from "../helpers/raw-client.js";
import { startSglangServer } from "../helpers/sglang/sglang-server.js";
import { until } from "../helpers/until.js";
import { rolltape, runRolltape, temporaryFolder } from "./rolltape.js";

const KEY = "sk-admin-0123456789abcdef";

/** Overrides for a server with the tiny model on a free port. */
function serveArgs(...overrides: string[]): string[] {
  return ["serve", "server.port=0", ...overrides];
}

/** Sends a POST with a key. Returns status and body. */
async function post(url: string, key: string, body: unknown) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const reply = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
}

describe("rolltape serve", () => {
  it.each(["SIGTERM", "SIGINT"] as const)("serves until %s, then ends with status 0", async (signal) => {
    const server = rolltape(serveArgs(), { ROLLTAPE_ADMIN_API_KEY: KEY });
    const ready = await server.ready();
    expect(ready).toEqual({
      event: "ready",
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
      engine: "embedded",
      model: expect.any(String) as string,
      model_path: expect.stringMatching(/^\//) as string,
      tool_call_parser: "hermes",
      reasoning_parser: "none",
      chat_template_type: "hf",
      images: "refuse",
      pid: server.process.pid,
    });
    expect((await fetch(`${ready.url}/health`)).status).toBe(200);
    expect(await post(`${ready.url}/grant_capacity`, KEY, { slots: 2 })).toEqual({
      status: 200,
      body: { capacity: 2 },
    });

    server.process.kill(signal);
    const { code, stdout, stderr } = await server.ended;
    expect(code).toBe(0);
    expect(stdout.split("\n")).toHaveLength(2);
    const logs = stderr.trimEnd().split("\n");
    expect(logs.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(
      expect.arrayContaining(["ready", "stopping", "stopped"]),
    );
    expect(stderr).not.toContain(KEY);
  });

  it("warns that sessions are not stored if storage.directory is empty", async () => {
    const server = rolltape(serveArgs("storage.directory="), { ROLLTAPE_ADMIN_API_KEY: KEY });
    await server.ready();
    const [line = ""] = await server.loggedMatch(/^.*storage\.directory is empty.*$/m);
    expect(JSON.parse(line)).toMatchObject({
      level: "warn",
      key: "storage.directory",
      msg: expect.stringContaining("sessions are not stored and end with the process") as string,
    });
  });

  it("ends with status 2 for a key of storage without storage.directory", async () => {
    const { code, stderr } = await runRolltape(serveArgs("storage.durability=none"));
    expect(code).toBe(2);
    expect(stderr).toContain("storage.durability: has no effect: sessions are not stored without `storage.directory`");
  });

  it("names the port for probes in the ready line", async () => {
    const server = rolltape(serveArgs("server.probe_port=0"), { ROLLTAPE_ADMIN_API_KEY: KEY });
    const { url, probe_url } = await server.ready();
    expect(new URL(probe_url ?? "").port).not.toBe(new URL(url).port);
    const readyz = async () => (await fetch(`${probe_url}/readyz`)).status;
    await expect.poll(readyz).toBe(200);
    server.process.kill("SIGTERM");
    expect(await server.ended).toMatchObject({ code: 0 });
  });

  it("ends with status 2 if the port for probes is the server's own", async () => {
    const { code, stderr } = await runRolltape(["serve", "server.port=8099", "server.probe_port=8099"]);
    expect(code).toBe(2);
    expect(stderr).toContain("server.probe_port: expected another port than server.port");
  });

  it("reports the model name of the configuration", async () => {
    const server = rolltape(serveArgs("model.name=my-model"), { ROLLTAPE_ADMIN_API_KEY: KEY });
    expect(await server.ready()).toMatchObject({ model: "my-model" });
  });

  it("writes a random admin key to a file for its owner, reports the file, and removes it at the end", async () => {
    const file = join(temporaryFolder(), "new-folder", "key");
    const server = rolltape(serveArgs(`rollout.agent.key_file=${file}`));
    const ready = await server.ready();
    expect(ready.admin_key_file).toBe(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const key = readFileSync(file, "utf8").trim();
    expect(await post(`${ready.url}/grant_capacity`, key, {})).toMatchObject({ status: 200 });
    expect(await post(`${ready.url}/grant_capacity`, `${key}x`, {})).toMatchObject({ status: 401 });

    server.process.kill("SIGTERM");
    const { stdout, stderr } = await server.ended;
    expect(stdout + stderr).not.toContain(key);
    expect(existsSync(file)).toBe(false);
  });

  it.each([
    ["sends an export to its end before it stops", 60, 0],
    ["ends with status 3 if it cuts an export at server.shutdown_seconds", 0, 3],
  ])("%s", async (_, seconds, status) => {
    const server = rolltape(serveArgs(`server.shutdown_seconds=${seconds}`), { ROLLTAPE_ADMIN_API_KEY: KEY });
    const { url } = await server.ready();
    const id = await new HttpTrainer(url, KEY).converse("rain", 1, { max_tokens: 4 });
    const client = new RawClient(new URL(url), { id, key: KEY });
    client.send({ path: "/export_batch", body: { session_ids: [id], pad_to_multiple_of: 2_000_000 } });
    await until(() => client.socket.readableLength > 0);
    server.process.kill("SIGTERM");
    const readWhole = async () => {
      await server.logged("stopping");
      client.read();
      await until(() => client.socket.readableEnded);
      client.leave();
      const [head = ""] = client.received.split("\r\n\r\n");
      return {
        expected: head.length + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1]),
        got: client.received.length,
      };
    };
    const { expected, got } = status === 0 ? await readWhole() : { expected: 0, got: 0 };
    expect(got).toBe(expected);
    const { code, stderr } = await server.ended;
    expect(code).toBe(status);
    expect(stderr.includes('"cutAnswers":[{"route":"POST /export_batch"')).toBe(status !== 0);
  });

  it("ends with status 3 if an ended session was not exported, and names it", async () => {
    const server = rolltape(serveArgs("server.shutdown_seconds=0"), { ROLLTAPE_ADMIN_API_KEY: KEY });
    const { url } = await server.ready();
    const id = await new HttpTrainer(url, KEY).converse("rain", 1, { max_tokens: 4 });
    server.process.kill("SIGTERM");
    const { code, stderr } = await server.ended;
    expect(code).toBe(3);
    const lines = stderr.trimEnd().split("\n");
    const logged = lines.map((line) => JSON.parse(line) as { msg: string; ids?: string[] });
    expect(logged.filter(({ ids }) => ids?.includes(id))).toHaveLength(1);
  });

  it("waits for a call in flight before it stops", async () => {
    const engine = await startSglangServer();
    onTestFinished(() => engine.close());
    const { folder } = await ensureTinyModel();
    const overrides = ["engine.type=sglang", `engine.urls=${engine.url}`, `model.path=${folder}`];
    const server = rolltape(serveArgs(...overrides), { ROLLTAPE_ADMIN_API_KEY: KEY });
    const { url } = await server.ready();
    await post(`${url}/grant_capacity`, KEY, {});
    const session = await post(`${url}/rl/start_session`, KEY, {});
    await post(`${engine.url}/pause_generation`, "", { mode: "in_place" });
    const messages = [{ role: "user", content: "hello" }];
    const call = post(`${url}/v1/chat/completions`, String(session.body.session_api_key), { model: "m", messages });
    while (engine.to("/generate").length === 0) await new Promise((resolve) => setTimeout(resolve, 5));

    server.process.kill("SIGTERM");
    await server.logged("stopping");
    await post(`${engine.url}/continue_generation`, "", {});
    expect(await call).toMatchObject({ status: 200, body: { object: "chat.completion" } });
    expect(await server.ended).toMatchObject({ code: 0 });
  });
});

describe("a server that cannot start", () => {
  const secret = { ROLLTAPE_ADMIN_API_KEY: KEY };

  it("ends with status 1 if its port is taken; the key file of the running server stays", async () => {
    const keyFile = `rollout.agent.key_file=${join(temporaryFolder(), "key")}`;
    const first = rolltape(serveArgs(keyFile));
    const { url, admin_key_file: file } = await first.ready();
    const before = readFileSync(String(file), "utf8");
    const second = await runRolltape(["serve", `server.port=${new URL(url).port}`, keyFile]);
    expect(second).toMatchObject({ code: 1, stdout: "" });
    expect(second.stderr).toMatch(/^rolltape: .*EADDRINUSE/m);
    expect(readFileSync(String(file), "utf8")).toBe(before);
  });

  it("ends with status 2 if the model's folder is empty", async () => {
    const folder = temporaryFolder();
    const args = serveArgs("engine.type=sglang", "engine.urls=http://127.0.0.1:9", `model.path=${folder}`);
    const { code, stdout, stderr } = await runRolltape(args, secret);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^ {2}model\.path: .*tokenizer/m);
  });

  it("ends with status 1 if the key file cannot be written", async () => {
    const file = join(temporaryFolder(), "taken");
    mkdirSync(file);
    const { code, stdout, stderr } = await runRolltape(serveArgs(`rollout.agent.key_file=${file}`));
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^rolltape: .*EISDIR/m);
  });
});
