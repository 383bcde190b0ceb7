import { z } from "zod";
import { untilAborted } from "../support/async/until-aborted.js";
import type { ConnectionPool } from "./connection-pool.js";

/** A worker that does not answer sooner is reached through the gateway. */
const PROBE_TIMEOUT_MS = 3_000;

const healthReply = z.object({ worker: z.object({ tag: z.string() }) });

/** The outcomes of probes by address and tag. Episodes share their connections, so each worker is probed once. */
const probesOf = new WeakMap<ConnectionPool, Map<string, Promise<boolean>>>();

/**
 * Returns true if the worker with this tag answers at the address. A gateway names a worker by the address that it uses itself.
 * For a client on another machine, that may be no address, or the address of another worker.
 */
export function reachesWorker(connections: ConnectionPool, address: string, tag: string): Promise<boolean> {
  const probes = probesOf.get(connections) ?? new Map<string, Promise<boolean>>();
  probesOf.set(connections, probes);
  const name = `${tag} ${address}`;
  const probe = probes.get(name) ?? hasTag(connections, address, tag);
  probes.set(name, probe);
  return probe;
}

async function hasTag(connections: ConnectionPool, address: string, tag: string): Promise<boolean> {
  const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
  try {
    const answer = connections.request(`${address}/health`, { method: "GET", headers: {}, signal });
    // The status is not checked: a worker whose engine is lost for a moment has the session all the same. Connections that are
    // being opened do not listen to the signal.
    const { body } = await untilAborted(answer, signal);
    return healthReply.parse(JSON.parse(Buffer.from(body).toString())).worker.tag === tag;
  } catch {
    return false;
  }
}
