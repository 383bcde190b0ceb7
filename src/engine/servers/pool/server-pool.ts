import { EngineError, type EngineServerState, type ServerNeeds, type ServerReadiness } from "../../engine.js";
import type { EngineServer } from "../engine-server.js";
import { isUnavailable } from "../wire/errors.js";
import { askReadiness } from "./ask-readiness.js";
import { PoolMember } from "./pool-member.js";
import { rendezvousOrder } from "./rendezvous.js";
import { ServerRoute } from "./server-route.js";

export interface ServerPoolOptions {
  /** Requests that may run at once on each server. */
  readonly maxInflight: number;
  /** Interval between two health checks of a server, if there are several servers; 0 for none. */
  readonly healthMilliseconds: number;
}

/**
 * The servers of an engine. All requests with one key go to the same server, because it has the prompt's prefix in its
 * cache: the first server in the key's rendezvous order that is up. If it does not begin with a request, the next gets it.
 */
export class ServerPool {
  readonly #members: ReadonlyMap<string, PoolMember>;
  readonly #urls: readonly string[];
  /** Servers are checked. If they are not, none is skipped, because nothing would notice that it is up again. */
  readonly #watched: boolean;
  #suspended = false;

  constructor(servers: readonly EngineServer[], { maxInflight, healthMilliseconds }: ServerPoolOptions) {
    const intervalMilliseconds = servers.length > 1 ? healthMilliseconds : 0;
    this.#watched = intervalMilliseconds > 0;
    this.#urls = servers.map(({ url }) => url);
    this.#members = new Map(
      servers.map((server) => [server.url, new PoolMember(server, { maxInflight, intervalMilliseconds })]),
    );
  }

  get servers(): EngineServer[] {
    return this.#all().map(({ server }) => server);
  }

  list(): EngineServerState[] {
    return this.#all().map(({ state }) => state);
  }

  /** Returns the servers that are not being drained, the best for the key first. */
  serversFor(key: string): EngineServer[] {
    return this.#orderFor(key).flatMap(({ server, draining }) => (draining ? [] : [server]));
  }

  /** Returns the servers to which one request of the key may go. */
  route(key: string): ServerRoute {
    return new ServerRoute(key, () => this.#orderFor(key));
  }

  /** Returns the key's servers, best first. Servers that are down come last: they may be up again. */
  #orderFor(key: string): readonly PoolMember[] {
    const members = rendezvousOrder(key, this.#urls).flatMap((url) => this.#members.get(url) ?? []);
    if (!this.#watched) return members;
    const healthy = members.filter(({ monitor }) => monitor.healthy);
    return [...healthy, ...members.filter(({ monitor }) => !monitor.healthy)];
  }

  /**
   * Asks every server a question that a call waits for. An unreachable server counts as down, like after a request. If no
   * server answers, the failure is counted on each.
   */
  async ask<T>(question: (server: EngineServer) => Promise<T>): Promise<PromiseSettledResult<T>[]> {
    const members = this.#all();
    const answers = await Promise.allSettled(members.map(({ server }) => question(server)));
    const noneAnswered = answers.every(({ status }) => status === "rejected");
    answers.forEach((answer, index) => {
      const member = members[index];
      if (!member) return;
      if (answer.status === "fulfilled") return member.monitor.reportReached();
      if (isUnavailable(answer.reason)) member.monitor.reportFailure();
      if (noneAnswered) member.tally.addFailed(answer.reason);
    });
    return answers;
  }

  async drain(url: string, signal?: AbortSignal): Promise<void> {
    const member = this.#member(url);
    member.draining = true;
    member.places.sendAway();
    await member.waitIdle(signal);
  }

  /** Cuts the requests that run on the server. */
  abandon(url: string): void {
    this.#member(url).cutRequests();
  }

  restore(url: string): void {
    this.#member(url).draining = false;
  }

  /** Reports that the server answered a control request. */
  reportReached(url: string): void {
    this.#member(url).monitor.reportReached();
  }

  /** Stops health checks, because the servers are paused on purpose. */
  suspendChecks(): void {
    this.#suspended = true;
    for (const { monitor } of this.#all()) monitor.suspend();
  }

  /** Assumes that every server is healthy, and checks them again. */
  restartChecks(): void {
    this.#suspended = false;
    for (const member of this.#all()) {
      member.noteProgress();
      member.monitor.restart();
    }
  }

  /** Resolves if at least one server takes requests, and immediately while checks are suspended. */
  async health(signal?: AbortSignal): Promise<void> {
    if (this.#suspended) return;
    const checks = await Promise.allSettled(this.#inUse().map((member) => member.checkNow(signal)));
    if (checks.some(({ status }) => status === "fulfilled")) return;
    const [first] = checks;
    if (first?.status === "rejected") throw first.reason;
    throw new EngineError("engine_unavailable", "Every engine server is being drained.");
  }

  /** Checks whether each server that is not being drained can serve calls; never rejects. */
  readiness(
    question: (server: EngineServer) => Promise<void>,
    signal: AbortSignal,
    needs?: ServerNeeds,
  ): Promise<ServerReadiness[]> {
    return Promise.all(
      this.#inUse().map(async (member) => {
        const { server, monitor } = member;
        const health = () => member.checkNow(signal);
        const model = () => question(server);
        const warnings = async () => (needs && (await server.listWarnings?.(needs, signal))) ?? [];
        const readiness = await askReadiness(server.url, { health, model, warnings, signal });
        if (readiness.problem?.about === "server" && monitor.state === "unknown") monitor.reportFailure();
        return readiness;
      }),
    );
  }

  async close(): Promise<void> {
    const reason = new EngineError("engine_unavailable", "The engine is closed.");
    await Promise.all(
      this.#all().map(({ monitor, places, server }) => {
        monitor.close();
        places.close(reason);
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
    if (!member) throw new RangeError(`The engine has no server with the URL ${url}.`);
    return member;
  }
}
