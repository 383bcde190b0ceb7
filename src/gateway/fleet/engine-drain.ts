import { serverRecord } from "../../admin-api/engine-schemas.js";
import { ApiError } from "../../http/errors.js";
import type { GatewayContext } from "../context.js";
import { parseReply } from "../relay.js";
import { type Fleet, requireFleet } from "./fleet.js";
import { groupByServer, type ServerUse } from "./merge-engines.js";
import { identifyServer, normalizeUrl } from "./server-identity.js";
import { findFailure, isSuccess, WorkerCalls, type WorkerOutcome } from "./worker-calls.js";

const DRAIN = "/rl/engine/drain";
const RESTORE = "/rl/engine/restore";

export interface ServerUses {
  readonly identity: string;
  readonly uses: readonly ServerUse[];
  /** Tags of the workers that do not answer. */
  readonly absent: readonly string[];
}

/** Drains or restores one engine server on all workers that use it, or on none of them. */
export class EngineDrain {
  readonly #context: GatewayContext;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #calls: WorkerCalls;

  /** @param headers the client's key */
  constructor(context: GatewayContext, headers: Readonly<Record<string, string>>) {
    this.#context = context;
    this.#headers = headers;
    this.#calls = new WorkerCalls(context, headers);
  }

  /** @param seconds how long to wait until no worker has a request on the server */
  async drain(url: string, seconds: number): Promise<ServerUses> {
    const server = await this.#find(url);
    const drained = await this.#change(server, DRAIN);
    return seconds > 0 ? this.#wait(drained, seconds) : drained;
  }

  async restore(url: string): Promise<ServerUses> {
    return this.#change(await this.#find(url), RESTORE);
  }

  async #find(url: string): Promise<ServerUses> {
    const fleet = await requireFleet(this.#context, this.#headers);
    const servers = groupByServer(fleet.members);
    const identity = normalizeUrl(url);
    const uses = servers.get(identity);
    if (uses) return { identity, uses, absent: fleet.absent };
    // The client may use a worker's own spelling, such as a loopback address. It must mean one server only.
    const matches = [...servers].filter(([, candidates]) =>
      candidates.some(({ record }) => normalizeUrl(record.url) === identity),
    );
    const [match] = matches;
    if (match && matches.length === 1) return { identity: match[0], uses: match[1], absent: fleet.absent };
    throw unknownServer(url, fleet);
  }

  /** Calls all workers. If one fails, the server gets its former state back on the others. */
  async #change(server: ServerUses, path: typeof DRAIN | typeof RESTORE): Promise<ServerUses> {
    const outcomes = await this.#call(server.uses, path, {}, this.#context.controlMilliseconds);
    const failure = findFailure(
      outcomes,
      `The server is not ${path === DRAIN ? "drained" : "restored"} on any worker.`,
    );
    if (!failure) return { ...server, uses: updateUses(server.uses, outcomes) };
    const wasDraining = path === RESTORE;
    const changed = server.uses.filter(({ record }) => (record.state === "draining") === wasDraining);
    await this.#call(changed, wasDraining ? DRAIN : RESTORE, {}, this.#context.controlMilliseconds);
    throw failure;
  }

  async #wait(drained: ServerUses, seconds: number): Promise<ServerUses> {
    const limit = Math.ceil(seconds * 1000) + this.#context.controlMilliseconds;
    const outcomes = await this.#call(drained.uses, DRAIN, { wait_seconds: seconds }, limit);
    const failure = findFailure(outcomes, "The server stays drained on all other workers.");
    if (failure) throw failure;
    return { ...drained, uses: updateUses(drained.uses, outcomes) };
  }

  #call(uses: readonly ServerUse[], path: string, body: object, limit: number): Promise<WorkerOutcome[]> {
    const calls = uses.map(({ member, record: { url } }) => ({ member, body: { ...body, url } }));
    return this.#calls.call(path, calls, limit);
  }
}

/** Returns the uses with the server records of the workers' replies. */
function updateUses(uses: readonly ServerUse[], outcomes: readonly WorkerOutcome[]): ServerUse[] {
  return uses.map((use, index) => {
    const outcome = outcomes[index];
    if (!outcome?.reply || !isSuccess(outcome)) return use;
    const record = parseReply(outcome.reply, serverRecord);
    return { member: use.member, identity: identifyServer(record.url, use.member.worker.url), record };
  });
}

function unknownServer(url: string, { members }: Fleet): ApiError {
  const urls = [...groupByServer(members).keys()].join(", ");
  const message = `\`url\` must be the address of an engine server: ${urls}; received ${url.slice(0, 200)}.`;
  return new ApiError("engine_server_not_found", message, { param: "url" });
}
