import { EngineError, type EngineServerState, type ServerReadiness } from "../../engine.js";
import type { EngineServer } from "../engine-server.js";
import { isUnavailable } from "../wire/errors.js";
import { askReadiness } from "./ask-readiness.js";
import { PoolMember } from "./pool-member.js";
import { rendezvousOrder } from "./rendezvous.js";
import { ServerRoute } from "./server-route.js";

export interface ServerPoolOptions {
  /** Requests that may be in flight at once on each server. */
  readonly connections: number;
  /** Between two health checks of a server if there are several; 0 for none. */
  readonly healthMilliseconds: number;
}

/**
 * The servers of an engine. All requests with one key go to the same server, which has their prompt's prefix in its cache:
 * the first of the key's rendezvous order that is up. If that does not begin with a request, the next one gets it.
 */
export class ServerPool {
  readonly #members: ReadonlyMap<string, PoolMember>;
  readonly #urls: readonly string[];
  /** True if servers are checked. Else none is left out, because nothing would find out that it is up again. */
  readonly #watched: boolean;
  #suspended = false;

  constructor(servers: readonly EngineServer[], { connections, healthMilliseconds }: ServerPoolOptions) {
    const intervalMilliseconds = servers.length > 1 ? healthMilliseconds : 0;
    this.#watched = intervalMilliseconds > 0;
    this.#urls = servers.map(({ url }) => url);
    this.#members = new Map(
      servers.map((server) => [server.url, new PoolMember(server, { connections, intervalMilliseconds })]),
    );
  }

  get servers(): EngineServer[] {
    return this.#all().map(({ server }) => server);
  }

  list(): EngineServerState[] {
    return this.#all().map(({ state }) => state);
  }

  /**
   * Returns the key's servers, best first, for one request. A server that is down may be up again: it is tried when no
   * other is left.
   */
  route(key: string): ServerRoute {
    const members = rendezvousOrder(key, this.#urls).flatMap((url) => this.#members.get(url) ?? []);
    if (!this.#watched) return new ServerRoute(members);
    const healthy = members.filter(({ monitor }) => monitor.healthy);
    return new ServerRoute([...healthy, ...members.filter(({ monitor }) => !monitor.healthy)]);
  }

  /**
   * Asks every server something that a call waits for. One that cannot be reached is down, as after a request; if none
   * answers, the call has failed here.
   */
  async ask<T>(question: (server: EngineServer) => Promise<T>): Promise<PromiseSettledResult<T>[]> {
    const members = this.#all();
    const answers = await Promise.allSettled(members.map(({ server }) => question(server)));
    const none = answers.every(({ status }) => status === "rejected");
    answers.forEach((answer, index) => {
      const member = members[index];
      if (!member) return;
      if (answer.status === "fulfilled") return member.monitor.reportReached();
      if (isUnavailable(answer.reason)) member.monitor.reportFailure();
      if (none) member.tally.addFailed(answer.reason);
    });
    return answers;
  }

  async drain(url: string, signal?: AbortSignal): Promise<void> {
    const member = this.#member(url);
    member.draining = true;
    await member.waitIdle(signal);
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
    for (const { monitor } of this.#all()) monitor.suspend();
  }

  /** Takes every server for healthy, and checks them again. */
  restartChecks(): void {
    this.#suspended = false;
    for (const member of this.#all()) {
      member.noteProgress();
      member.monitor.restart();
    }
  }

  /** Resolves when at least one server takes requests, and at once while checks are suspended. */
  async health(signal?: AbortSignal): Promise<void> {
    if (this.#suspended) return;
    const checks = await Promise.allSettled(this.#inUse().map((member) => member.checkNow(signal)));
    if (checks.some(({ status }) => status === "fulfilled")) return;
    const [first] = checks;
    if (first?.status === "rejected") throw first.reason;
    throw new EngineError("engine_unavailable", "Every engine server is being drained.");
  }

  /** Asks every server that is not being drained whether it can serve calls. Never rejects. */
  readiness(question: (server: EngineServer) => Promise<void>, signal: AbortSignal): Promise<ServerReadiness[]> {
    return Promise.all(
      this.#inUse().map(async (member) => {
        const { server, monitor } = member;
        const health = () => member.checkNow(signal);
        const readiness = await askReadiness(server.url, { health, model: () => question(server), signal });
        if (readiness.problem?.about === "server" && monitor.state === "unknown") monitor.reportFailure();
        return readiness;
      }),
    );
  }

  async close(): Promise<void> {
    await Promise.all(
      this.#all().map(({ monitor, server }) => {
        monitor.close();
        return server.close();
      }),
    );
  }

  #all(): PoolMember[] {
    return [...this.#members.values()];
  }

  /** The servers that are not being drained. */
  #inUse(): PoolMember[] {
    return this.#all().filter(({ draining }) => !draining);
  }

  #member(url: string): PoolMember {
    const member = this.#members.get(url);
    if (!member) throw new RangeError(`There is no engine server ${url}.`);
    return member;
  }
}
