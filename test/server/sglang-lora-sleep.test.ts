import { afterEach, expect, it } from "vitest";
import type { Engine } from "../../src/engine/engine.js";
import { createSglangEngine } from "../../src/engine/index.js";
import { Proxy, type Reply } from "../helpers/proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { type SglangServer, type SglangServerOptions, startSglangServer } from "../helpers/sglang/sglang-server.js";

/** Adapters and sleep on an SGLang that answers as the real one does. */

const USER = { role: "user", content: "hello" };
const SAVER = { serverInfo: { enable_memory_saver: true } };

let server: SglangServer;
let engine: Engine;
let proxy: Proxy<Engine>;

async function open(options: SglangServerOptions): Promise<void> {
  server = await startSglangServer(options);
  engine = createSglangEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 4 });
  proxy = await Proxy.start({ engine });
}
afterEach(async () => {
  await proxy.close();
  await engine.close();
  await server.close();
});

const load = (step: number, path = `/adapters/${step}`): Promise<Reply> =>
  proxy.post("/rl/weights", { version: step, lora: { name: `policy@${step}`, path } });
const sleep = (): Promise<Reply> => proxy.post("/rl/weights", { version: 3, mode: "external", sleep: true });
const finish = (): Promise<Reply> =>
  proxy.post("/rl/weights/finish", { version: 3, path: "/weights/3", allow_partial: true });
const giveUp = (): Promise<Reply> => proxy.request({ method: "DELETE", url: "/rl/weights" });
const MEMORY = ["/release_memory_occupation", "/resume_memory_occupation", "/update_weights_from_disk"];
const memoryCalls = () => server.requests.map(({ path }) => path).filter((path) => MEMORY.includes(path));

it("names the adapter as `lora_path`, records its version, and unloads those before the previous one", async () => {
  await open({ lora: true });
  const session = await proxy.session();
  await proxy.chat(session, [USER]);
  for (const step of [1, 2, 3]) {
    expect((await load(step)).json()).toMatchObject({ state: "idle", version: step });
    await proxy.chat(session, [USER]);
  }
  const names = server.to("/generate").map(({ json }) => json["lora_path"]);
  expect(names).toEqual([undefined, "policy@1", "policy@2", "policy@3"]);
  await expect.poll(() => server.adapters).toEqual(["policy@2", "policy@3"]);
  await proxy.end(session);
  const { raw } = await proxy.post("/export_batch", { session_ids: [session.id] });
  expect(readSafetensors(raw).tensors["row_max_version"]?.data).toEqual([0, 1, 2, 3]);
});

it("says why an adapter cannot be loaded", async () => {
  await open({});
  const refused = await load(1);
  expect(refused.refusal).toBe("502 weights_failed");
  expect(refused.error.message).toContain("LoRA is not enabled. Please set `--enable-lora` to enable LoRA.");
});

it("refuses a name that the server has with another path", async () => {
  await open({ lora: true });
  await load(1);
  const refused = await proxy.post("/rl/weights", { version: 2, lora: { name: "policy@1", path: "/adapters/2" } });
  expect(refused.error.message).toContain("The engine has another adapter with the name policy@1.");
  expect((await load(2, "/missing")).error.message).toContain("Repo id must be in the form");
});

it.each([false, true])("fails calls with 502 after a restart without the adapter (stream: %s)", async (stream) => {
  await open({ lora: true });
  await load(1);
  server.forgetAdapters();
  const { raw } = await proxy.chat(await proxy.session(), [USER], { stream });
  const text = raw.toString();
  expect(text).toContain("The engine has lost the adapter policy@1, because it was restarted.");
  expect(text).toContain("engine_error");
});

it("wakes up with the new weights", async () => {
  await open(SAVER);
  expect((await sleep()).json()).toMatchObject({ state: "external" });
  expect(server.asleep).toBe(true);
  expect((await finish()).json()).toMatchObject({ state: "idle", version: 3 });
  expect(memoryCalls()).toEqual(MEMORY);
});

it("refuses to sleep before anything is paused if the server would free no memory", async () => {
  await open({});
  const refused = await sleep();
  expect(refused.refusal).toBe("502 weights_failed");
  expect(refused.error.message).toContain(
    "The engine cannot free its memory. Start SGLang with `--enable-memory-saver`.",
  );
  expect(refused.error["weights"]).toMatchObject({ state: "idle" });
  expect([server.to("/pause_generation"), memoryCalls()]).toEqual([[], []]);
  expect((await proxy.chat(await proxy.session(), [USER])).status).toBe(200);
});

it("goes on after a sleep that was given up if the server keeps its weights", async () => {
  await open({ serverInfo: { enable_memory_saver: true, enable_weights_cpu_backup: true } });
  await sleep();
  expect((await giveUp()).json()).toMatchObject({ state: "idle", version: 0 });
  expect(server.asleep).toBe(false);
  expect((await proxy.chat(await proxy.session(), [USER])).status).toBe(200);
});

it("is woken before it loads weights after a sleep that was given up", async () => {
  await open(SAVER);
  await sleep();
  await giveUp();
  expect(server.asleep).toBe(true);
  const update = { version: 4, path: "/weights/4", allow_partial: true };
  expect((await proxy.post("/rl/weights", update)).json()).toMatchObject({ state: "idle", version: 4 });
  expect(memoryCalls()).toEqual(MEMORY);
});

it("that was restarted while it slept ends when it is woken, and gets the weights when the call is repeated", async () => {
  await open(SAVER);
  await sleep();
  server.asleep = false;
  expect((await finish()).refusal).toBe("502 weights_failed");
  expect((await finish()).json()).toMatchObject({ state: "idle", version: 3 });
  // A control request whose connection broke is sent once more.
  expect([...new Set(memoryCalls())]).toEqual(MEMORY);
});

it("that refused to sleep is not woken", async () => {
  await open({ ...SAVER, missingPaths: ["/release_memory_occupation"] });
  expect((await sleep()).refusal).toBe("502 weights_failed");
  expect((await giveUp()).json()).toMatchObject({ state: "idle" });
  expect(server.to("/resume_memory_occupation")).toEqual([]);
  expect((await proxy.chat(await proxy.session(), [USER])).status).toBe(200);
});
