import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Engine } from "../../src/engine/engine.js";
import { createSglangEngine } from "../../src/engine/index.js";
import { rendezvousOrder } from "../../src/engine/servers/pool/rendezvous.js";
import { numbers, type WireExport } from "../helpers/export-json.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { inventedLogprob } from "../helpers/sglang/scheduler.js";
import { type SglangServer, startSglangServer } from "../helpers/sglang/sglang-server.js";

/** Many agents use two engine servers over sockets, while servers fail or pause, or agents disconnect. */

const TOKENS = 30;
const USER = [{ role: "user", content: "rain" }];

let servers: [SglangServer, SglangServer];
let proxy: Proxy<Engine>;
let url: string;
beforeEach(async () => {
  const complete = ({ inputLength }: { inputLength: number }) =>
    Array.from({ length: TOKENS }, (_, index) => 260 + ((inputLength + index) % 200));
  const options = { complete, tokenMilliseconds: 200, weightVersionSpans: true, weightVersion: "4" };
  servers = await Promise.all([startSglangServer(options), startSglangServer(options)]);
  const urls = servers.map((server) => server.url);
  const engine = createSglangEngine({ urls, timeoutSeconds: 0, maxInflight: 200, healthSeconds: 0.05 });
  proxy = await Proxy.start({ engine });
  url = await proxy.app.listen({ host: "127.0.0.1", port: 0 });
});
afterEach(async () => {
  // An aborted fetch opens a spare connection, which Node does not count as idle.
  proxy.app.server.closeAllConnections();
  await proxy.close();
  await proxy.engine.close();
  for (const server of servers) await server.close();
});

interface Agent {
  readonly session: StartedSession;
  readonly controller: AbortController;
  /** The text of the stream so far. */
  text: string;
  readonly done: Promise<"whole" | "error" | "left">;
}

async function startAgents(count: number): Promise<Agent[]> {
  const sessions: StartedSession[] = [];
  for (let n = 0; n < count; n++) sessions.push(await proxy.session());
  return sessions.map(startAgent);
}

function startAgent(session: StartedSession): Agent {
  const controller = new AbortController();
  const agent: Agent = { session, controller, text: "", done: read().catch(() => "left" as const) };
  async function read(): Promise<"whole" | "error"> {
    const reply = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${session.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "m", messages: USER, stream: true, max_tokens: TOKENS }),
      signal: controller.signal,
    });
    for await (const bytes of reply.body ?? []) agent.text += Buffer.from(bytes).toString("utf8");
    return agent.text.endsWith("data: [DONE]\n\n") ? "whole" : "error";
  }
  return agent;
}

const findHome = ({ session }: Agent): SglangServer => {
  const [first] = rendezvousOrder(
    session.id,
    servers.map((server) => server.url),
  );
  return first === servers[0].url ? servers[0] : servers[1];
};

const hasText = ({ text }: Agent): boolean => text.includes('"content":"');

/** The rows of a session as exported, and as an engine server must have answered them. */
async function readRows({ session }: Agent) {
  await proxy.end(session);
  const { interactions } = (await proxy.export(session)).json<WireExport>();
  return Object.values(interactions).map((interaction) => {
    const ids = numbers(interaction, "input_ids");
    const promptLength = numbers(interaction, "loss_mask").indexOf(1);
    const output = ids.slice(promptLength);
    expect(output).toEqual(output.map((_, index) => 260 + ((promptLength + index) % 200)));
    return {
      tokens: output.length,
      versions: numbers(interaction, "versions").slice(promptLength),
      interaction,
      output,
    };
  });
}

describe("100 agents on two engine servers", () => {
  it("continue if one server dies: only its agents get errors, and no wrong token is recorded", {
    timeout: 60_000,
  }, async () => {
    const agents = await startAgents(100);
    await expect.poll(() => agents.every(hasText)).toBe(true);
    const [dead, alive] = servers;
    await dead.close();
    alive.scheduler.tokenMilliseconds = 0;
    const outcomes = await Promise.all(agents.map(async (agent) => [findHome(agent) === dead, await agent.done]));
    expect(outcomes).toEqual(agents.map((agent) => (findHome(agent) === dead ? [true, "error"] : [false, "whole"])));
    const lost = agents.filter((agent) => findHome(agent) === dead);
    expect(lost.length).toBeGreaterThan(20);
    for (const { text } of lost) expect(text).toContain('"code":"engine_unavailable"');
    // The other server got none of the lost calls. A later call of the same session succeeds there.
    expect(alive.to("/generate")).toHaveLength(100 - lost.length);
    const again = lost.slice(0, 10).map(({ session }) => startAgent(session));
    expect(await Promise.all(again.map(({ done }) => done))).toEqual(again.map(() => "whole"));
    for (const agent of agents) {
      const rows = await readRows(agent);
      const expected =
        findHome(agent) === alive || again.some(({ session }) => session === agent.session) ? [TOKENS] : [];
      expect(rows.map(({ tokens }) => tokens)).toEqual(expected);
      for (const { interaction, output } of rows) {
        expect(numbers(interaction, "logprobs").slice(-TOKENS)).toEqual(output.map(inventedLogprob));
      }
    }
    const record = (await proxy.request({ url: "/rl/engine" })).json<{ servers: object[] }>();
    expect(record.servers).toMatchObject([
      { state: "down", failed: lost.length, requests: 0 },
      { state: "up", failed: 0, completed: 110 - lost.length },
    ]);
  });

  it("may disconnect: each of their calls is aborted once on the engine, and the other agents continue", {
    timeout: 60_000,
  }, async () => {
    const agents = await startAgents(60);
    await expect.poll(() => agents.every(hasText)).toBe(true);
    const leaving = agents.filter((_, index) => index % 2 === 0);
    const aborts = () => servers.flatMap((server) => server.to("/abort_request")).map(({ json }) => json["rid"]);
    for (const { controller } of leaving) controller.abort();
    await expect.poll(() => aborts().length).toBe(leaving.length);
    for (const { scheduler } of servers) scheduler.tokenMilliseconds = 0;
    expect(await Promise.all(agents.map(({ done }) => done))).toEqual(
      agents.map((_, i) => (i % 2 === 0 ? "left" : "whole")),
    );
    const rids = servers.flatMap((server) => server.to("/generate")).map(({ json }) => json["rid"]);
    expect([new Set(rids).size, new Set(aborts()).size]).toEqual([60, 30]);
    for (const [index, agent] of agents.entries()) expect(await readRows(agent)).toHaveLength(index % 2);
    const text = (await proxy.request({ url: "/metrics" })).raw.toString();
    expect(text).toContain('rolltape_calls_total{api="chat.completions",outcome="aborted"} 30');
  });

  it.each(["abort", "keep"])(
    "wait out a weight update (%s) and have the version of each token",
    { timeout: 60_000 },
    async (mode) => {
      const agents = await startAgents(30);
      await expect.poll(() => agents.every(hasText)).toBe(true);
      await proxy.post("/rl/engine/pause", { mode });
      for (const { scheduler } of servers) scheduler.weightVersion = "5";
      for (const { scheduler } of servers) scheduler.tokenMilliseconds = 0;
      await proxy.post("/rl/engine/resume", {});
      expect(await Promise.all(agents.map(({ done }) => done))).toEqual(agents.map(() => "whole"));
      for (const agent of agents) {
        const [row] = await readRows(agent);
        const versions = row?.versions ?? [];
        expect([row?.tokens, versions[0], versions.at(-1)]).toEqual([TOKENS, 4, 5]);
        expect(versions).toEqual(versions.toSorted((a, b) => a - b));
      }
    },
  );
});
