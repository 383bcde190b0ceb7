import { afterEach, describe, expect, it } from "vitest";
import type { LoraAdapter } from "../../../src/engine/engine.js";
import { ServerAdapters } from "../../../src/engine/servers/server-adapters.js";
import { ServerConnections } from "../../../src/engine/servers/wire/connections.js";
import { type AdapterCalls, loadAdapter, unloadAdapter } from "../../../src/engine/servers/wire/load-adapter.js";
import { type RecordingServer, startRecordingServer } from "../../helpers/recording-server.js";

const adapter = (name: string): LoraAdapter => ({ name, path: `/adapters/${name}`, version: 1 }) as LoraAdapter;

describe("the adapters of a server", () => {
  function start() {
    const unloaded: string[] = [];
    const adapters = new ServerAdapters(async (name) => {
      unloaded.push(name);
      throw new Error("it was restarted");
    });
    return { adapters, unloaded };
  }

  it("are the base model first", () => {
    const { adapters } = start();
    expect([adapters.current, adapters.begin()]).toEqual([undefined, undefined]);
  });

  it("stay loaded while they are the current or the previous one", () => {
    const { adapters, unloaded } = start();
    for (const name of ["a", "a", "b", "c"]) adapters.use(adapter(name));
    expect([adapters.current?.name, unloaded]).toEqual(["c", ["a"]]);
    adapters.use(undefined);
    expect(unloaded).toEqual(["a", "b"]);
    adapters.use(adapter("d"));
    expect(unloaded).toEqual(["a", "b", "c"]);
  });

  it("are not previous because they are used twice", () => {
    const { adapters, unloaded } = start();
    for (const name of ["a", "b", "b"]) adapters.use(adapter(name));
    expect(unloaded).toEqual([]);
  });

  it("stay loaded while a request uses them", () => {
    const { adapters, unloaded } = start();
    adapters.use(adapter("a"));
    const [first, second] = [adapters.begin(), adapters.begin()];
    expect(first?.adapter.name).toBe("a");
    adapters.use(adapter("b"));
    adapters.use(adapter("c"));
    first?.[Symbol.dispose]();
    expect(unloaded).toEqual([]);
    second?.[Symbol.dispose]();
    expect(unloaded).toEqual(["a"]);
  });

  it("keep their requests if they are used again", () => {
    const { adapters, unloaded } = start();
    adapters.use(adapter("a"));
    const use = adapters.begin();
    for (const name of ["b", "a", "b", "c"]) adapters.use(adapter(name));
    expect(unloaded).toEqual([]);
    use?.[Symbol.dispose]();
    expect(unloaded).toEqual(["a"]);
  });
});

describe("loading an adapter", () => {
  const CALLS = { prefix: "v1/", advice: "Start it otherwise." };
  const { signal } = new AbortController();
  let server: RecordingServer;
  let connections: ServerConnections;
  afterEach(async () => {
    await connections.close();
    await server.close();
  });

  /** Starts a server that refuses to load and to unload with this status, and lists these models. */
  async function start(status: number, models: unknown = []): Promise<void> {
    server = await startRecordingServer({}, async ({ path }, response) => {
      const answer = path === "/v1/models" ? { data: models } : { message: "no" };
      response.writeHead(path === "/v1/models" ? 200 : status).end(JSON.stringify(answer));
    });
    connections = new ServerConnections(server.url, 1, { apiKey: "key", adminApiKey: "admin" });
  }

  const load = (calls: AdapterCalls = CALLS) => loadAdapter(connections, adapter("a"), calls, signal);

  it("sends its name and its path", async () => {
    await start(200);
    await load();
    await unloadAdapter(connections, "a", CALLS);
    await unloadAdapter(connections, "a", { ...CALLS, prefix: "", admin: true });
    expect(server.requests.map(({ path, json, headers }) => [path, json, headers.authorization])).toEqual([
      ["/v1/load_lora_adapter", { lora_name: "a", lora_path: "/adapters/a" }, "Bearer key"],
      ["/v1/unload_lora_adapter", { lora_name: "a" }, "Bearer key"],
      ["/unload_lora_adapter", { lora_name: "a" }, "Bearer admin"],
    ]);
  });

  it("succeeds if the server has it", async () => {
    await start(400, [{ id: "base" }, { id: "a", parent: "base", root: "/adapters/a" }]);
    await load();
    await load({ ...CALLS, admin: true });
    expect(server.requests.at(-2)?.headers.authorization).toBe("Bearer admin");
  });

  it("fails if the server has another one with its name", async () => {
    await start(400, [{ id: "a", parent: "base", root: "/other" }]);
    await expect(load()).rejects.toThrow("The engine has another adapter with the name a.");
  });

  it.each<[unknown]>([
    [[{ id: "a", root: "/adapters/a" }]],
    [[{ id: "a", parent: null, root: "/adapters/a" }]],
    [[{ id: "b", parent: "base" }]],
    ["none"],
  ])("fails with the server's reason if it has none with its name: %o", async (models) => {
    await start(400, models);
    await expect(load()).rejects.toThrow(/^The engine answered HTTP 400: no$/);
  });

  it("fails with the flags that the server needs if it cannot load any", async () => {
    await start(404);
    await expect(load()).rejects.toThrow(/^The engine answered HTTP 404: no Start it otherwise\.$/);
  });
});
