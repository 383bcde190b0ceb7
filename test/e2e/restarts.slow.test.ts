import { expect, it, onTestFinished } from "vitest";
import { parseConfig, readWorkerTag } from "../../src/config/index.js";
import { type RunningServer, startServer } from "../../src/server/start.js";
import { temporaryFolder } from "../cli/rolltape.js";
import { HttpTrainer } from "../helpers/http-trainer.js";

/** A restart must not confuse the session ids of two runs of one server. The configuration has its defaults. */

const ADMIN_KEY = "sk-admin-0123456789abcdef";

async function startAgain(
  server: object = {},
  storage: object = {},
): Promise<{ server: RunningServer; trainer: HttpTrainer }> {
  const config = parseConfig({ server: { port: 0, shutdown_seconds: 0, ...server }, storage });
  const running = await startServer(config, { adminKey: ADMIN_KEY });
  onTestFinished(async () => void (await running.close()));
  return { server: running, trainer: new HttpTrainer(running.url, ADMIN_KEY) };
}

it("does not reuse a session id after a restart", async () => {
  const first = await startAgain();
  const before = await first.trainer.converse("rain", 1, { max_tokens: 2 });
  await first.server.close();
  const second = await startAgain();
  const after = await second.trainer.converse("snow", 1, { max_tokens: 2 });
  expect(before).toMatch(/^task-[a-z0-9]{8}-0$/);
  expect(after).not.toBe(before);
  // A late export must not find a session of the new run.
  await expect(second.trainer.exportBatch([before])).rejects.toMatchObject({ code: "session_not_found" });
});

it("accepts a session key of the caller's choice, without the server's tag", async () => {
  const { trainer } = await startAgain();
  for (const api_key of ["my-own-session-key-1", "sk-another.my-own-session-key"]) {
    await trainer.post("/grant_capacity", {});
    const started = await trainer.post("/rl/start_session", { api_key });
    expect(await started.json()).toMatchObject({ session_api_key: api_key });
    await trainer.chat(api_key, [{ role: "user", content: "hello" }], { max_tokens: 2 });
  }
});

it.each([{ worker_tag: null }, { worker_tag: "one" }])(
  "names sessions as the configuration says: %j",
  async (server) => {
    const { trainer } = await startAgain(server);
    const { id } = await trainer.openSession();
    expect(id).toBe(server.worker_tag === null ? "task-0" : "task-one-0");
  },
);

it("names sessions after the machine, also after a restart on the storage folder", async () => {
  const storage = { directory: temporaryFolder() };
  const server = { worker_tag: "hostname" };
  const tag = readWorkerTag(parseConfig({ server, storage }));
  const first = await startAgain(server, storage);
  const { id, key } = await first.trainer.openSession();
  await first.server.close();
  const second = await startAgain(server, storage);
  expect([id, (await second.trainer.openSession()).id]).toEqual([`task-${tag}-0`, `task-${tag}-1`]);
  const answer = second.trainer.chat(key, [{ role: "user", content: "hello" }], { max_tokens: 2 });
  await expect(answer).resolves.toMatchObject({ role: "assistant" });
});

it("rejects a chosen key without the tag if the server's tag is fixed", async () => {
  const { trainer } = await startAgain({ worker_tag: "one" });
  await trainer.post("/grant_capacity", {});
  await expect(trainer.post("/rl/start_session", { api_key: "my-own-session-key-1" })).rejects.toThrow(/sk-one\./);
});
