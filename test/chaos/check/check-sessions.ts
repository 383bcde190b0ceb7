import { request } from "undici";
import { ADMIN_KEY } from "../../helpers/proxy.js";
import type { Findings } from "../../soak/check/findings.js";
import type { KnownState, Ledger } from "../clients/ledger.js";
import type { Worker } from "../processes/target.js";
import type { ChaosFinding } from "./findings.js";

interface SessionRecord {
  readonly session_id: string;
  readonly state: KnownState;
  readonly interaction_count: number;
}

/** Compares the sessions and the capacity of servers with what clients know. No request may be in flight. */
export async function checkSessions(
  workers: readonly Worker[],
  ledger: Ledger,
  findings: Findings<ChaosFinding>,
): Promise<void> {
  const lists = await Promise.all(
    workers.map(({ process }) =>
      ask<{ sessions: readonly SessionRecord[] }>(`${process.url}/rl/sessions?limit=100000`),
    ),
  );
  const records = new Map(lists.flatMap(({ sessions }) => sessions).map((record) => [record.session_id, record]));
  for (const { id, states, attempts } of ledger.sessions.values()) {
    const record = records.get(id);
    if (!record) {
      findings.add("sessions", id);
      continue;
    }
    if (!states.includes(record.state)) {
      findings.add("states", `session ${id} is ${record.state}, expected ${states.join(" or ")}`);
    }
    const answered = attempts.filter(({ outcome }) => outcome.kind === "answered").length;
    const { interaction_count: count } = record;
    if (count < answered || count > attempts.length) {
      const expected = `expected ${answered} to ${attempts.length}`;
      findings.add("missing", `session ${id} has ${count} interactions, ${expected}`);
    }
  }
  await checkCapacity(workers, ledger, findings);
}

async function checkCapacity(
  workers: readonly Worker[],
  { slots }: Ledger,
  findings: Findings<ChaosFinding>,
): Promise<void> {
  let capacity = 0;
  for (const { process } of workers) {
    capacity += (await ask<{ capacity: number }>(`${process.url}/grant_capacity`, { slots: 1 })).capacity;
    slots.granted++;
  }
  const least = slots.granted - slots.started - slots.startsCut;
  const most = slots.granted + slots.grantsCut - slots.started;
  if (capacity < least || capacity > most) {
    findings.add("capacity", `${capacity} free slots, expected ${least} to ${most}`);
  }
}

async function ask<T>(url: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json", connection: "close" };
  const options = body ? ({ method: "POST", body: JSON.stringify(body) } as const) : {};
  const reply = await request(url, { headers, ...options });
  return (await reply.body.json()) as T;
}
