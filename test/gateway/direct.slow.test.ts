import { describe, expect, it, onTestFinished } from "vitest";
import { SessionClient } from "../../src/client/session-client.js";
import { connectProxy } from "../../src/rollout/connect.js";
import type { AgentContext } from "../../src/rollout/contract.js";
import { ProxyWorkflow } from "../../src/rollout/proxy-workflow.js";
import { frontProxy } from "../cli/rollout/front-proxy.js";
import { converse } from "../helpers/agents.js";
import { ADMIN_KEY } from "../helpers/proxy.js";
import { stoppableAddress } from "./stoppable-address.js";
import { Gateway, readWorkerTag, startWorker } from "./workers.js";

/** `gateway.direct`: model calls go straight to the worker of their session. */

interface Start {
  session_id: string;
  base_url?: string;
}

async function setUp(direct: boolean) {
  const workers = [await startWorker("one"), await startWorker("two")];
  const paths: string[] = [];
  for (const { proxy } of workers) {
    proxy.app.server.on("request", ({ url }: { url: string }) => paths.push(url));
  }
  const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) }, 60, undefined, undefined, { direct });
  const urlOf = (sessionId = "") => workers.find(({ tag }) => tag === readWorkerTag(sessionId))?.url;
  return { gateway, workers, urlOf, paths };
}

/** Runs episodes through a proxy. Returns the addresses that their agents received, by session id. */
async function runEpisodes(url: string, count: number): Promise<[string | undefined, string][]> {
  const proxy = connectProxy({ url, adminKey: ADMIN_KEY });
  onTestFinished(() => proxy.close());
  const addresses: string[] = [];
  const agent = {
    async run(topic: string, context: AgentContext) {
      addresses.push(context.base_url);
      await converse(context, topic, 2);
      return 1;
    },
  };
  const ids: (string | undefined)[] = [];
  for (let n = 0; n < count; n++) {
    const { accepted, rejected } = await new ProxyWorkflow(agent).arunEpisode(proxy, "rain");
    expect(rejected).toEqual([]);
    expect(accepted).toMatchObject([{ url, interactionCount: 2 }]);
    ids.push(accepted[0]?.sessionId);
  }
  return addresses.map((address, index) => [ids[index], address]);
}

describe("a gateway with direct: false", () => {
  it("returns no addresses of workers", async () => {
    const { gateway } = await setUp(false);
    await gateway.post("/grant_capacity");
    const started = (await gateway.post("/rl/start_session")).json<object>();
    expect(Object.keys(started).sort()).toEqual(["api_key", "session_api_key", "session_id"]);
    expect((await runEpisodes(gateway.url, 1)).map(([, address]) => address)).toEqual([gateway.url]);
  });
});

describe("a gateway with direct: true", () => {
  it("returns the address of the session's worker", async () => {
    const { gateway, urlOf } = await setUp(true);
    await gateway.post("/grant_capacity", { slots: 2 });
    for (let n = 0; n < 2; n++) {
      const { session_id, base_url } = (await gateway.post("/rl/start_session")).json<Start>();
      expect(base_url).toBe(urlOf(session_id));
    }
    expect((await gateway.post("/rl/start_session")).refusal).toBe("429 no_capacity");
  });

  it("still forwards the calls of clients that do not use the address", async () => {
    const { gateway } = await setUp(true);
    const { key } = await gateway.session();
    expect((await gateway.chat(key, "hello")).status).toBe(200);
  });

  it("gives agents of episodes the addresses of their workers, and probes each worker once", async () => {
    const { gateway, urlOf, paths } = await setUp(true);
    paths.length = 0;
    const episodes = await runEpisodes(gateway.url, 6);
    expect(new Set(episodes.map(([, address]) => address)).size).toBe(2);
    for (const [id, address] of episodes) expect(address).toBe(urlOf(id));
    expect(paths.filter((path) => path === "/health")).toHaveLength(2);
  });

  it("gives clients of the library the address of the worker", async () => {
    const { gateway, urlOf } = await setUp(true);
    await using proxy = connectProxy({ url: gateway.url, adminKey: ADMIN_KEY });
    await proxy.admin.grantCapacity();
    const session = await SessionClient.start(proxy.admin);
    expect(session.baseUrl).toBe(urlOf(session.sessionId));
  });
});

/** Starts a proxy in front of a gateway. It replaces the address of the worker in answers. */
async function gatewayThatTells(address: string, gateway: Gateway): Promise<string> {
  const { url } = await frontProxy(gateway.url, ({ path, body, method }, response) => {
    if (path !== "/rl/start_session") return false;
    void gateway.send(path, { method, body, headers: { "content-type": "application/json" } }).then((reply) => {
      const started = reply.json<Start>();
      response.writeHead(reply.status, { "content-type": "application/json" });
      response.end(JSON.stringify({ ...started, base_url: address }));
    });
    return true;
  });
  return url;
}

describe("model calls go through the gateway if the address of the worker", () => {
  it("refuses connections", async () => {
    const { gateway, workers } = await setUp(true);
    const gone = await startWorker("three");
    await gone.kill();
    const url = await gatewayThatTells(gone.url, gateway);
    expect((await runEpisodes(url, 2)).map(([, address]) => address)).toEqual([url, url]);
    expect(workers.flatMap(({ proxy }) => proxy.engine.calls)).toHaveLength(4);
  });

  it("is that of another worker", async () => {
    const { gateway } = await setUp(true);
    const other = await startWorker("three");
    const url = await gatewayThatTells(other.url, gateway);
    expect((await runEpisodes(url, 2)).map(([, address]) => address)).toEqual([url, url]);
    expect(other.proxy.engine.calls).toEqual([]);
  });

  it("is that of a server that is not a worker", async () => {
    const { gateway } = await setUp(true);
    const { url: other, calls } = await frontProxy(gateway.url, (_, response) => {
      response.end("<html>");
      return true;
    });
    const url = await gatewayThatTells(other, gateway);
    expect((await runEpisodes(url, 1)).map(([, address]) => address)).toEqual([url]);
    expect(calls.map(({ path }) => path)).toEqual(["/health"]);
  });

  it("accepts connections and never answers", async () => {
    const { gateway, workers } = await setUp(true);
    const address = await stoppableAddress(workers[0]?.url ?? "");
    address.stop();
    const url = await gatewayThatTells(address.url, gateway);
    expect((await runEpisodes(url, 3)).map(([, given]) => given)).toEqual([url, url, url]);
  });
});
