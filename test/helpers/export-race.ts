import { once } from "node:events";
import type { Socket } from "node:net";
import type { Proxy, Reply, StartedSession } from "./proxy.js";
import { question, RawClient } from "./raw-client.js";
import { readSafetensors } from "./safetensors.js";
import { until } from "./until.js";

/** More bytes than the operating system buffers for a client that does not read. */
const FULL = 8 * 1024 * 1024;
const UNREAD_ANSWERS = 3;

const waitTurns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};
const someTurns = () => waitTurns(Math.floor(Math.random() * 40));

/** A session whose last answers are recorded, but still wait for their clients. */
export interface RacedSession extends StartedSession {
  readonly clients: readonly RawClient[];
}

/** Starts a session with answers that the server cannot send yet. Its connection takes the bytes before them first. */
export async function raceSession(proxy: Proxy, url: URL, started: StartedSession): Promise<RacedSession> {
  const session = proxy.context.registry.get(started.id);
  await proxy.chat(started, [{ role: "user", content: "read" }]);
  await proxy.chat(started, [{ role: "user", content: "read too" }]);
  const clients: RawClient[] = [];
  for (let call = 0; call < UNREAD_ANSWERS; call++) {
    const accepted = once(proxy.app.server, "connection") as Promise<[Socket]>;
    const client = new RawClient(url, started);
    const [connection] = await accepted;
    connection.write(Buffer.alloc(FULL));
    client.send(question(`unread ${call}`, { stream: call % 2 === 0 }));
    clients.push(client);
  }
  await until(() => session.interactionCount === 2 + UNREAD_ANSWERS);
  return { ...started, clients };
}

/** Number of rounds of a race test. The nightly tests run more. */
export function raceRounds(usual: number): number {
  return Number(process.env["RACE_ROUNDS"] ?? usual);
}

const SHARDS = 2;

/** Sends the body of an export. */
export type ExportCall = (body: object) => Promise<Reply>;

/**
 * Runs whole and sharded exports of the sessions while their clients read their answers, disconnect, or do first the one and then the
 * other. Returns the differences between the exports: none is expected.
 */
export async function raceExports(sessions: readonly RacedSession[], call: ExportCall): Promise<string[]> {
  const session_ids = sessions.map(({ id }) => id);
  const ask = async (options: object = {}) => {
    await someTurns();
    const reply = await call({ session_ids, ...options });
    if (reply.status !== 200) throw new Error(reply.refusal);
    return readRows(reply);
  };
  const askShards = () => Promise.all(Array.from({ length: SHARDS }, (_, shard) => ask({ shards: SHARDS, shard })));
  const behave = async (client: RawClient) => {
    await someTurns();
    if (Math.random() < 0.5) client.read();
    await someTurns();
    if (Math.random() < 0.8) client.leave();
  };
  const clients = sessions.flatMap((session) => session.clients);
  const left = Promise.all(clients.map(behave));
  const [first, repeat, shards] = await Promise.all([ask(), ask(), askShards()]);
  await left;
  for (const client of clients) {
    client.leave();
    client.forget();
  }
  await waitTurns(50);
  const exports = { repeat, shards, late: await ask(), lateShards: await askShards() };
  const expected = join(first);
  return Object.entries(exports).flatMap(([name, rows]) => {
    const found = join(rows.flat());
    return found === expected ? [] : [`${name}: ${found}; first: ${expected}`];
  });
}

const join = (rows: readonly string[]) => rows.toSorted().join(" ");

function readRows({ raw }: Reply): string[] {
  const rows = JSON.parse(readSafetensors(raw).metadata["rows"] ?? "[]") as { interaction_id: string }[];
  return rows.map((row) => row.interaction_id);
}
