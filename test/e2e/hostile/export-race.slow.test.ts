import { expect, it, onTestFinished } from "vitest";
import { WIRES } from "../../helpers/engine-frames.js";
import { type RacedSession, raceExports } from "../../helpers/export-race.js";
import { question, RawClient } from "../../helpers/raw-client.js";
import { startWireServer } from "../../helpers/wire-server.js";
import { startVictim, Victim } from "./victim.js";

/** Exports that race with answers whose clients do not read them, read them late or disconnect. */

const ROUNDS = 30;
const CLIENTS = 3;
const SHORT = 3;
/** With log probabilities, the answer has more bytes than the operating system buffers for a client that does not read. */
const LONG = 80_000;

function replyOf(tokens: number): string {
  const ids = Array.from({ length: tokens }, (_, n) => 10 + (n % 80));
  const json = JSON.stringify(WIRES.sglang.frame({ ids, total: tokens, last: true }));
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`;
}

async function raceSession(server: Victim): Promise<RacedSession> {
  const started = await server.session();
  for (const text of ["read", "read too"]) await server.chat(started.key, text, { max_tokens: SHORT });
  const clients = Array.from({ length: CLIENTS }, (_, n) => {
    const client = new RawClient(new URL(server.url), started);
    client.send(question(`unread ${n}`, { max_tokens: LONG, logprobs: true }));
    return client;
  });
  const count = async () => {
    const reply = await server.send(`/rl/sessions/${started.id}`);
    return reply.json<{ interaction_count: number }>().interaction_count;
  };
  while ((await count()) < 2 + CLIENTS);
  await server.post("/rl/end_session", {}, started.key);
  return { ...started, clients };
}

it("exports the same interactions in every repeat and in all shards, by a server and through a gateway", async () => {
  const [short, long] = [replyOf(SHORT), replyOf(LONG)];
  const engine = await startWireServer(WIRES.sglang, ({ socket, body }) =>
    socket.write(body.includes(`"max_new_tokens":${LONG}`) ? long : short),
  );
  onTestFinished(() => engine.close());
  const context = "engine.context_length=100000";
  const server = await startVictim(["engine.type=sglang", `engine.urls=[${engine.url}]`, context]);
  onTestFinished(async () => void (await server.stop()));
  const gateway = await Victim.start(["gateway", `gateway.workers=${server.url}`]);
  onTestFinished(async () => void (await gateway.stop()));
  const differences: string[][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const sessions = [await raceSession(server)];
    const exporter = round % 2 === 0 ? server : gateway;
    const found = await raceExports(sessions, (body) => exporter.post("/export_batch", body));
    if (found.length > 0) differences.push(found);
    await server.send(`/rl/sessions/${sessions[0]?.id}`, { method: "DELETE" });
  }
  expect({ rounds: differences.length, first: differences[0] }).toEqual({ rounds: 0, first: undefined });
}, 600_000);
