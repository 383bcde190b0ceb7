import { afterEach, describe, expect, it, vi } from "vitest";
import { ServerConnections } from "../../../src/engine/servers/wire/connections.js";
import { ServerInfo } from "../../../src/engine/sglang/server-info.js";
import { type RecordingServer, startRecordingServer } from "../../helpers/recording-server.js";

let server: RecordingServer;
let connections: ServerConnections;
afterEach(async () => {
  vi.restoreAllMocks();
  await connections.close();
  await server.close();
});

/** Starts a server that answers these paths. The replies can be changed. */
async function start(replies: Record<string, object>): Promise<ServerInfo> {
  server = await startRecordingServer({}, async ({ path }, response) => {
    const info = replies[path];
    response.writeHead(info ? 200 : 404).end(JSON.stringify(info ?? {}));
  });
  connections = new ServerConnections(server.url, 4, {});
  return new ServerInfo(connections);
}

const NONE = { budgets: false, seeds: false, retracts: false, sleeps: true, keepsWeights: false };

describe("the abilities of an SGLang server", () => {
  it.each<[object, object]>([
    [{}, {}],
    [{ enable_strict_thinking: true, reasoning_parser: "qwen3" }, { budgets: true }],
    [{ enable_strict_thinking: true, reasoning_parser: null }, {}],
    [{ enable_strict_thinking: false, reasoning_parser: "qwen3" }, {}],
    [{ enable_deterministic_inference: true }, { seeds: true }],
    [{ enable_deterministic_inference: "true" }, {}],
    [{ enable_memory_saver: false }, { sleeps: false }],
    [{ enable_memory_saver: true, enable_weights_cpu_backup: true }, { keepsWeights: true }],
    [{ version: "0.5.21" }, { retracts: true }],
    [{ version: "0.5.23.post1" }, { retracts: true }],
    [{ version: "0.6" }, { retracts: true }],
    [{ version: "1.0.0" }, { retracts: true }],
    [{ version: "0.5.20" }, {}],
    [{ version: "0.4.99" }, {}],
    [{ version: "0.5" }, {}],
    [{ version: 5 }, {}],
  ])("in the reply %o are %o", async (info, abilities) => {
    const subject = await start({ "/server_info": info });
    expect(await subject.ask()).toEqual({ ...NONE, ...abilities });
  });

  it("are found at the endpoint of older versions", async () => {
    const subject = await start({ "/get_server_info": { enable_deterministic_inference: true } });
    expect((await subject.ask()).seeds).toBe(true);
  });

  it("are asked for once a minute", async () => {
    const replies: Record<string, object> = { "/server_info": { enable_deterministic_inference: true } };
    const subject = await start(replies);
    await Promise.all([subject.ask(), subject.ask()]);
    const began = performance.now();
    const now = vi.spyOn(performance, "now").mockReturnValue(began + 55_000);
    expect((await subject.ask()).seeds).toBe(true);
    expect(server.requests).toHaveLength(1);
    replies["/server_info"] = {};
    now.mockReturnValue(began + 61_000);
    expect((await subject.ask()).seeds).toBe(false);
    expect(server.requests).toHaveLength(2);
  });

  it("are those of the last answer if there is none, and are asked for again", async () => {
    const replies: Record<string, object> = {};
    const subject = await start(replies);
    expect(await subject.ask()).toEqual(NONE);
    replies["/server_info"] = { enable_deterministic_inference: true };
    expect((await subject.ask()).seeds).toBe(true);
    delete replies["/server_info"];
    const began = performance.now();
    vi.spyOn(performance, "now").mockReturnValue(began + 61_000);
    expect((await subject.ask()).seeds).toBe(true);
  });
});
