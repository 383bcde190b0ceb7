import { serverRecord } from "../../control/engine.js";
import { ApiError } from "../../http/errors.js";
import type { GatewayContext } from "../context.js";
import { jsonOf } from "../relay.js";
import { ANSWER_TIMEOUT_MS, type Fleet, requireFleet } from "./fleet.js";
import { type ServerUse, usesByServer } from "./merge-engines.js";
import { serverIdentity, spelledAlike } from "./server-identity.js";
import { failureOf, isDone, WorkerCalls, type WorkerOutcome } from "./worker-calls.js";

const DRAIN = "/rl/engine/drain";
const RESTORE = "/rl/engine/restore";

export interface ServerUses {
  readonly identity: string;
  readonly uses: readonly ServerUse[];
  /** Tags of workers that do not answer. */
  readonly absent: readonly string[];
}

/** Drains or restores one engine server on every worker that uses it: on all of them or on none. */
export class EngineDrain {
  readonly #context: GatewayContext;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #calls: WorkerCalls;

  /** @param headers the caller's key */
  constructor(context: GatewayContext, headers: Readonly<Record<string, string>>) {
    this.#context = context;
    this.#headers = headers;
    this.#calls = new WorkerCalls(context, headers);
  }

  /** @param seconds how long to wait until no worker has a request on the server */
  async drain(url: string, seconds: number): Promise<ServerUses> {
    const found = await this.#find(url);
    const drained = await this.#change(found, DRAIN);
    return seconds > 0 ? this.#wait(drained, seconds) : drained;
  }

  async restore(url: string): Promise<ServerUses> {
    return this.#change(await this.#find(url), RESTORE);
  }

  async #find(url: string): Promise<ServerUses> {
    const fleet = await requireFleet(this.#context, this.#headers);
    const servers = usesByServer(fleet.members);
    const wanted = spelledAlike(url);
    const uses = servers.get(wanted);
    if (uses) return { identity: wanted, uses, absent: fleet.absent };
    const alike = [...servers].filter(([, each]) => each.some(({ record }) => spelledAlike(record.url) === wanted));
    const [only] = alike;
    if (only && alike.length === 1) return { identity: only[0], uses: only[1], absent: fleet.absent };
    throw unknownServer(url, fleet);
  }

  /** Tells all workers; if one fails, those that had the other state before get it back. */
  async #change(found: ServerUses, path: typeof DRAIN | typeof RESTORE): Promise<ServerUses> {
    const outcomes = await this.#tell(found.uses, path, {}, ANSWER_TIMEOUT_MS);
    const failure = failureOf(outcomes, `The server is not ${path === DRAIN ? "drained" : "restored"} on any worker.`);
    if (!failure) return { ...found, uses: merged(found.uses, outcomes) };
    const wasDraining = path === RESTORE;
    const changed = found.uses.filter(({ record }) => (record.state === "draining") === wasDraining);
    await this.#tell(changed, wasDraining ? DRAIN : RESTORE, {}, ANSWER_TIMEOUT_MS);
    throw failure;
  }

  async #wait(drained: ServerUses, seconds: number): Promise<ServerUses> {
    const limit = seconds * 1000 + ANSWER_TIMEOUT_MS;
    const outcomes = await this.#tell(drained.uses, DRAIN, { wait_seconds: seconds }, limit);
    const failure = failureOf(outcomes, "The server stays drained on all other workers.");
    if (failure) throw failure;
    return { ...drained, uses: merged(drained.uses, outcomes) };
  }

  #tell(uses: readonly ServerUse[], path: string, body: object, limit: number): Promise<WorkerOutcome[]> {
    const calls = uses.map(({ member, record: { url } }) => ({ member, body: { ...body, url } }));
    return this.#calls.call(path, calls, limit);
  }
}

/** The uses as the workers describe them in their answers. */
function merged(uses: readonly ServerUse[], outcomes: readonly WorkerOutcome[]): ServerUse[] {
  return uses.map((use, index) => {
    const outcome = outcomes[index];
    if (!outcome?.reply || !isDone(outcome)) return use;
    const record = jsonOf(outcome.reply, serverRecord);
    return { member: use.member, identity: serverIdentity(record.url, use.member.worker.url), record };
  });
}

function unknownServer(url: string, { members }: Fleet): ApiError {
  const known = [...usesByServer(members).keys()].join(", ");
  const message = `url: there is no engine server ${url.slice(0, 200)}; there are ${known}.`;
  return new ApiError("engine_server_not_found", message, { param: "url" });
}
