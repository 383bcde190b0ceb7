import { Semaphore } from "../../../support/async/semaphore.js";
import { Waiters } from "../../../support/async/waiters.js";
import { EngineError, type EngineServerState, type ServerReadiness } from "../../engine.js";
import type { EngineServer } from "../engine-server.js";
import { isUnavailable, NotStartedError } from "../wire/errors.js";
import { HealthMonitor } from "./health-monitor.js";
import { askReadiness } from "./readiness.js";
import { rendezvousOrder } from "./rendezvous.js";
import { ServerTally } from "./server-tally.js";

interface Member {
  readonly server: EngineServer;
  /** Holds back requests for which there is no connection. */
  readonly connections: Semaphore;
  readonly monitor: HealthMonitor;
  readonly tally: ServerTally;
  draining: boolean;
  requests: number;
  /** When the server last sent something of a reply or took up work, in milliseconds since the epoch. */
  progressAt: number;
  /** Wait until the server has no requests. */
  readonly idle: Waiters;
}

/** @param onProgress to be called when the server has sent something of the reply */
export type Request<T> = (server: EngineServer, onProgress: () => void) => Promise<T>;

export interface ServerPoolOptions {
  readonly connections: number;
  /** Between two health checks of a server where there are several; 0 for none. */
  readonly healthMilliseconds: number;
}

/**
 * Sends requests to servers. All with one key go to the same server, which has their prompt's prefix in its cache: the
 * first of the key's rendezvous order that is up. Where that does not begin with a request, the next one gets it.
 */
export class ServerPool {
  readonly #members: ReadonlyMap<string, Member>;
  readonly #urls: readonly string[];
  /** Servers are checked. Else none is left out: nobody would find out that it is up again. */
  readonly #watched: boolean;
  #suspended = false;

  constructor(servers: readonly EngineServer[], { connections, healthMilliseconds }: ServerPoolOptions) {
    const intervalMilliseconds = servers.length > 1 ? healthMilliseconds : 0;
    this.#watched = intervalMilliseconds > 0;
    this.#urls = servers.map(({ url }) => url);
    const memberOf = (server: EngineServer): Member => {
      const member: Member = {
        server,
        connections: new Semaphore(connections),
        monitor: new HealthMonitor({ check: (signal) => check(member, signal), intervalMilliseconds }),
        tally: new ServerTally(),
        draining: false,
        requests: 0,
        progressAt: Date.now(),
        idle: new Waiters(),
      };
      return member;
    };
    this.#members = new Map(servers.map((server) => [server.url, memberOf(server)]));
  }

  get servers(): EngineServer[] {
    return [...this.#members.values()].map(({ server }) => server);
  }

  list(): EngineServerState[] {
    return [...this.#members.values()].map(({ server, connections, monitor, tally, draining, requests }) => ({
      url: server.url,
      state: draining ? "draining" : monitor.state,
      healthy: monitor.state === "up",
      requests,
      waiting: connections.waiting,
      logprobs: server.logprobs ?? "unknown",
      counts: tally.counts,
      lastFailure: tally.lastFailure,
    }));
  }

  /**
   * Runs a request on the key's server.
   *
   * @param request is run again on the next server where it rejects with a NotStartedError, and only there.
   */
  async run<T>(key: string, signal: AbortSignal, request: Request<T>): Promise<T> {
    let failure: NotStartedError | undefined;
    let left: Member | undefined;
    for (const member of this.#order(key)) {
      if (member.draining) continue;
      left?.tally.failedOver();
      left = undefined;
      try {
        return await this.#runOn(member, signal, request);
      } catch (error) {
        if (!(error instanceof NotStartedError)) throw error;
        failure = soonest(failure, error);
        left = member;
      }
    }
    throw failure ?? new EngineError("engine_unavailable", "Every engine server is being drained.");
  }

  /**
   * Asks every server something that a call waits for. One that cannot be reached is down, as after a request; where none
   * answers, the call has failed here.
   */
  async ask<T>(question: (server: EngineServer) => Promise<T>): Promise<PromiseSettledResult<T>[]> {
    const members = [...this.#members.values()];
    const answers = await Promise.allSettled(members.map(({ server }) => question(server)));
    const none = answers.every(({ status }) => status === "rejected");
    answers.forEach((answer, index) => {
      const member = members[index];
      if (!member) return;
      if (answer.status === "fulfilled") return member.monitor.reportReached();
      if (isUnavailable(answer.reason)) member.monitor.reportFailure();
      if (none) member.tally.failed(answer.reason);
    });
    return answers;
  }

  async #runOn<T>(member: Member, signal: AbortSignal, request: Request<T>): Promise<T> {
    if (member.requests === 0) member.progressAt = Date.now();
    member.requests++;
    try {
      signal.throwIfAborted();
      const free = member.connections.tryAcquire();
      using _connection = free ?? (await member.connections.acquire(signal));
      if (!free && member.draining) throw new NotStartedError("engine_error", "The engine server is being drained.");
      return await this.#counted(member, signal, request);
    } finally {
      member.progressAt = Date.now();
      member.requests--;
      if (member.requests === 0) member.idle.wake();
    }
  }

  async #counted<T>(member: Member, signal: AbortSignal, request: Request<T>): Promise<T> {
    const { server, tally, monitor } = member;
    const onProgress = () => {
      member.progressAt = Date.now();
    };
    try {
      const result = await tally.count(signal, () => request(server, onProgress));
      monitor.reportSuccess();
      return result;
    } catch (error) {
      if (error instanceof NotStartedError && isUnavailable(error)) monitor.reportFailure();
      else if (error instanceof EngineError && !isUnavailable(error)) monitor.reportReached();
      throw error;
    }
  }

  /** The key's servers, best first. A server that is down may be up again: it is tried when no other is left. */
  #order(key: string): Member[] {
    const members = rendezvousOrder(key, this.#urls).flatMap((url) => this.#members.get(url) ?? []);
    if (!this.#watched) return members;
    return [...members.filter(({ monitor }) => monitor.healthy), ...members.filter(({ monitor }) => !monitor.healthy)];
  }

  async drain(url: string, signal?: AbortSignal): Promise<void> {
    const member = this.#member(url);
    member.draining = true;
    if (member.requests === 0) return;
    if (!(await member.idle.wait(Number.POSITIVE_INFINITY, signal))) signal?.throwIfAborted();
  }

  restore(url: string): void {
    this.#member(url).draining = false;
  }

  /** The server took an order. */
  reportReached(url: string): void {
    this.#member(url).monitor.reportReached();
  }

  /** Makes no health checks: the servers are paused on purpose. */
  suspendChecks(): void {
    this.#suspended = true;
    for (const { monitor } of this.#members.values()) monitor.suspend();
  }

  /** Takes every server for healthy, and checks them again. */
  restartChecks(): void {
    this.#suspended = false;
    for (const member of this.#members.values()) {
      member.progressAt = Date.now();
      member.monitor.restart();
    }
  }

  /** Resolves when one server at least takes requests, and at once while checks are suspended. */
  async health(signal?: AbortSignal): Promise<void> {
    if (this.#suspended) return;
    const members = [...this.#members.values()].filter(({ draining }) => !draining);
    const checks = await Promise.allSettled(members.map((member) => this.#checkNow(member, signal)));
    if (checks.some(({ status }) => status === "fulfilled")) return;
    const [first] = checks;
    if (first?.status === "rejected") throw first.reason;
    throw new EngineError("engine_unavailable", "Every engine server is being drained.");
  }

  /** Asks every server that is not being drained whether it can serve calls. Never rejects. */
  readiness(question: (server: EngineServer) => Promise<void>, signal: AbortSignal): Promise<ServerReadiness[]> {
    const members = [...this.#members.values()].filter(({ draining }) => !draining);
    return Promise.all(
      members.map(async (member) => {
        const { server, monitor } = member;
        const health = () => this.#checkNow(member, signal);
        const readiness = await askReadiness(server.url, { health, model: () => question(server), signal });
        if (readiness.problem?.about === "server" && monitor.state === "unknown") monitor.reportFailure();
        return readiness;
      }),
    );
  }

  /** A check outside of the monitor's own pace. Of a server that was never reached it says the first that is known. */
  async #checkNow(member: Member, signal?: AbortSignal): Promise<void> {
    try {
      await check(member, signal);
    } catch (error) {
      if (member.monitor.state === "unknown" && isUnavailable(error)) member.monitor.reportFailure();
      throw error;
    }
    member.monitor.reportSuccess();
  }

  async close(): Promise<void> {
    await Promise.all(
      [...this.#members.values()].map(({ monitor, server }) => {
        monitor.close();
        return server.close();
      }),
    );
  }

  #member(url: string): Member {
    const member = this.#members.get(url);
    if (!member) throw new RangeError(`There is no engine server ${url}.`);
    return member;
  }
}

/**
 * A server with requests that has sent nothing for so long is asked whether its scheduler runs. A healthy one is silent as long
 * as it works on a long prompt or on replies that are not streamed, but answers.
 */
const SILENCE_MS = 60_000;

/** Rejects unless the server answers, and its scheduler too if its own requests give reason to doubt that it runs. */
async function check({ server, requests, progressAt }: Member, signal?: AbortSignal): Promise<void> {
  await server.health(signal);
  const silent = requests > 0 && Date.now() - progressAt >= SILENCE_MS;
  if (silent) await server.schedulerHealth?.(signal);
}

/** Of two refusals the one that says sooner when to ask again; else the later one. */
function soonest(earlier: NotStartedError | undefined, later: NotStartedError): NotStartedError {
  const of = (error?: NotStartedError): number => error?.retryAfterMilliseconds ?? Number.POSITIVE_INFINITY;
  return earlier && of(earlier) < of(later) ? earlier : later;
}
