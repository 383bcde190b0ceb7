import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Engine } from "../../src/engine/engine.js";
import { createVllmEngine } from "../../src/engine/index.js";
import { Proxy, type Reply, type StartedSession } from "../helpers/proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { startVllmServer, type VllmServer, type VllmServerOptions } from "../helpers/vllm/vllm-server.js";

const USER = { role: "user", content: "hello" };

let server: VllmServer;
let engine: Engine;
let proxy: Proxy<Engine>;
let session: StartedSession;

async function open(options: VllmServerOptions = { lora: true }): Promise<void> {
  server = await startVllmServer(options);
  engine = createVllmEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 8 });
  proxy = await Proxy.start({ engine });
  session = await proxy.session();
}
beforeEach(() => open());
afterEach(close);

async function close(): Promise<void> {
  await proxy.close();
  await engine.close();
  await server.close();
}

const load = (step: number, path = `/adapters/${step}`): Promise<Reply> =>
  proxy.post("/rl/weights", { version: step, lora: { name: `policy@${step}`, path } });

const sentModels = () => server.to("/inference/v1/generate").map(({ json }) => json["model"]);

async function recordedVersions(): Promise<{ versions: unknown; uncertain: unknown }> {
  await proxy.end(session);
  const { raw } = await proxy.post("/export_batch", { session_ids: [session.id] });
  const { tensors } = readSafetensors(raw);
  return { versions: tensors["row_max_version"]?.data, uncertain: tensors["row_versions_uncertain"]?.data };
}

describe("POST /rl/weights with an adapter", () => {
  it("loads it, and later calls name it and have its version", async () => {
    await proxy.chat(session, [USER]);
    expect((await load(17)).json()).toMatchObject({ state: "idle", version: 17, error: null });
    await proxy.chat(session, [USER]);
    await load(18);
    await proxy.chat(session, [USER], { stream: true });
    expect(sentModels()).toEqual(["tiny", "policy@17", "policy@18"]);
    expect(await recordedVersions()).toEqual({ versions: [0, 17, 18], uncertain: [0, 0, 0] });
  });

  it("pauses nothing, and never loads in place", async () => {
    await load(1);
    const paths = server.requests.map(({ path }) => path);
    expect(paths.filter((path) => /pause|resume|collective|reset/.test(path))).toEqual([]);
    const [request] = server.to("/v1/load_lora_adapter");
    expect(request?.json).toEqual({ lora_name: "policy@1", lora_path: "/adapters/1" });
  });

  it("gives tokens of a call in flight the version of the adapter that it began with", async () => {
    await load(1);
    server.scheduler.pause("in_place");
    const call = proxy.chat(session, [USER]);
    await expect.poll(() => sentModels().length).toBe(1);
    await load(2);
    server.scheduler.continue();
    expect((await call).status).toBe(200);
    expect(await recordedVersions()).toEqual({ versions: [1], uncertain: [0] });
  });

  it("unloads an adapter before the previous one once no call uses it", async () => {
    await load(1);
    server.scheduler.pause("in_place");
    const call = proxy.chat(session, [USER]);
    await expect.poll(() => sentModels().length).toBe(1);
    await load(2);
    await load(3);
    expect(server.adapters).toEqual(["policy@1", "policy@2", "policy@3"]);
    server.scheduler.continue();
    await call;
    await expect.poll(() => server.adapters).toEqual(["policy@2", "policy@3"]);
    await load(4);
    await expect.poll(() => server.adapters).toEqual(["policy@3", "policy@4"]);
  });

  it("accepts an adapter that another proxy has loaded, unless it is another one", async () => {
    await load(1);
    const own = createVllmEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 1 });
    const other = await Proxy.start({ engine: own });
    try {
      const body = { version: 1, lora: { name: "policy@1", path: "/adapters/1" } };
      expect((await other.post("/rl/weights", body)).status).toBe(200);
      const refused = await other.post("/rl/weights", { version: 2, lora: { name: "policy@1", path: "/adapters/2" } });
      expect(refused.refusal).toBe("502 weights_failed");
      expect(refused.error.message).toContain("The engine has another adapter with the name policy@1.");
    } finally {
      await other.close();
      await own.close();
    }
  });

  it("that cannot be loaded changes nothing", async () => {
    await load(1);
    const failed = await load(2, "/missing");
    expect(failed.refusal).toBe("502 weights_failed");
    expect(failed.error.message).toContain("No adapter found");
    expect(failed.error["weights"]).toMatchObject({ state: "idle", version: 1 });
    await proxy.chat(session, [USER]);
    expect(sentModels()).toEqual(["policy@1"]);
    expect((await load(2)).status).toBe(200);
  });

  it("is followed by the base model after an update of all weights", async () => {
    await load(1);
    await proxy.post("/rl/weights", { version: 2, path: "/weights", allow_partial: true });
    await proxy.chat(session, [USER]);
    expect(sentModels()).toEqual(["tiny"]);
  });

  it("marks the versions as uncertain if the server names integers for its base model", async () => {
    server.scheduler.weightVersion = "5";
    await load(17);
    await proxy.chat(session, [USER]);
    expect((await recordedVersions()).uncertain).toEqual([1]);
  });

  it("says what to start the server with if it takes no adapters", async () => {
    await close();
    await open({});
    const refused = await load(1);
    expect(refused.error.message).toContain(
      "Start vLLM with `--enable-lora` and VLLM_ALLOW_RUNTIME_LORA_UPDATING=True.",
    );
  });

  it("refuses a path or a mode beside it", async () => {
    const lora = { name: "a", path: "/a" };
    const both = await proxy.post("/rl/weights", { version: 1, path: "/b", lora });
    expect([both.refusal, both.error.param]).toEqual(["400 invalid_value", "path"]);
    const external = await proxy.post("/rl/weights", { version: 1, mode: "external", lora });
    expect([external.refusal, external.error.param]).toEqual(["400 invalid_value", "mode"]);
  });
});
