import { type StepBody, type StepReply, stepReply } from "../../admin-api/weights/weight-steps.js";
import type { TargetServer } from "../../admin-api/weights/weight-targets.js";
import { callWorker } from "../contact/call-worker.js";
import type { GatewayContext } from "../context.js";
import { workerRefusedError } from "../fleet/failures.js";
import { identifyServer } from "../fleet/server-identity.js";
import { parseReply } from "../relay.js";
import type { Worker } from "../worker-pool.js";

export type Headers = Readonly<Record<string, string>>;

/** The name that a worker gives to an engine in its own process. */
const EMBEDDED = "embedded";

/** Best first. */
const SOURCES = ["update", "known", "assumed"] as const;

type ListedServer = StepReply["servers"][number];

/** A worker, and its engine servers by identity. */
export interface WeightMember {
  readonly worker: Worker;
  readonly servers: ReadonlyMap<string, ListedServer>;
  /** The update that the worker takes part in. */
  readonly update: StepReply["update"];
  /** The worker was restarted during that update. */
  readonly interrupted: boolean;
  readonly paused: boolean;
  /** The worker's current version. */
  readonly version: number;
}

/** Calls one step on a worker. Returns undefined if the worker does not answer. */
export async function callStep(
  { upstream }: Pick<GatewayContext, "upstream">,
  worker: Worker,
  step: Partial<StepBody> & Pick<StepBody, "step">,
  { headers, milliseconds, signal }: { headers: Headers; milliseconds?: number | undefined; signal?: AbortSignal },
): Promise<StepReply | undefined> {
  const call = { path: "/rl/weights/step", headers, body: step, ...(signal ? { signal } : {}) };
  const reply = await callWorker(upstream, worker, call, milliseconds);
  if (!reply) return undefined;
  if (reply.status >= 300) throw workerRefusedError(worker, reply);
  return parseReply(reply, stepReply);
}

/**
 * Reads the engine servers of all workers, including workers that registered a moment ago.
 *
 * @param model the model that is updated. Default: the only one of each worker that is not frozen
 * @returns `silent`: workers that do not answer, although they were not down before
 * @throws ApiError if a worker returns an error, for example because of the key
 */
export async function readWeightFleet(
  context: GatewayContext,
  headers: Headers,
  model?: string,
): Promise<{ readonly members: readonly WeightMember[]; readonly silent: readonly Worker[] }> {
  const { pool, controlMilliseconds } = context;
  await pool.discover();
  const workers = pool.all();
  const down = new Set(workers.filter(({ state }) => state === "down"));
  const options = { headers, milliseconds: controlMilliseconds };
  const replies = await Promise.all(
    workers.map((worker) => callStep(context, worker, { step: "list", model }, options)),
  );
  const members: WeightMember[] = [];
  const silent: Worker[] = [];
  workers.forEach((worker, index) => {
    const reply = replies[index];
    if (reply) members.push(toMember(worker, reply));
    else {
      if (!down.has(worker)) silent.push(worker);
      worker.state = "down";
    }
  });
  return { members, silent };
}

/** Returns the servers of all workers, each once. */
export function mergeServers(members: readonly WeightMember[]): TargetServer[] {
  const identities = new Set(members.flatMap(({ servers }) => [...servers.keys()]));
  return [...identities].map((url) => {
    const uses = members.flatMap(({ servers }) => servers.get(url) ?? []);
    // The worker that made the server load knows best. A worker that joined later only assumes the version.
    const best = SOURCES.find((each) => uses.some(({ source }) => source === each));
    const [first, ...others] = uses.filter(({ source }) => source === best);
    const agree = others.every(({ version, path }) => version === first?.version && path === first.path);
    return {
      url,
      version: agree && first ? first.version : null,
      path: agree && first ? first.path : null,
      draining: uses.every(({ draining }) => draining),
    };
  });
}

function toMember(worker: Worker, { servers, update, interrupted, paused, version }: StepReply): WeightMember {
  const byIdentity = new Map(servers.map((server) => [identify(server.url, worker), server] as const));
  return { worker, servers: byIdentity, update, interrupted, paused, version };
}

/** An engine in a worker's process is named after the worker. */
function identify(url: string, { url: workerUrl, tag }: Worker): string {
  return url === EMBEDDED ? `${EMBEDDED}/${tag}` : identifyServer(url, workerUrl);
}
