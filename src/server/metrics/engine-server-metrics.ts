import { Counter, Gauge, type Registry } from "prom-client";
import type { Engine, EngineLoad, EngineServerState, ServerControl } from "../../engine/engine.js";
import { LOGPROB_CONTENTS } from "../../facts/recorded-sampling.js";

const STATES: readonly EngineServerState["state"][] = ["up", "down", "draining", "unknown"];

interface ServerLoad extends EngineLoad {
  readonly server: string;
}

/** Adds the metrics of an engine. An engine that runs in this process counts as one server with the name of its type. */
export function observeEngine(engine: Pick<Engine, "type" | "servers" | "load">, register: Registry): void {
  const { type, servers } = engine;
  if (servers) observeServers(servers, register);
  const readLoad = () => (engine.load ? [{ server: type, ...engine.load }] : []);
  if (engine.load) addLoadGauges(readLoad, [register]);
}

/** Adds the metrics of each server of an engine. The servers have their own counts, which are read at each scrape. */
function observeServers(servers: ServerControl, register: Registry): void {
  const registers = [register];
  addRequestCounters(servers, registers);
  new Gauge({
    name: "rolltape_engine_server_state",
    help: "1 for the state that an engine server is in, 0 for its other states; unknown until it is reached for the first time.",
    labelNames: ["server", "state"],
    registers,
    collect() {
      for (const { server, state } of withLabel(servers)) {
        for (const each of STATES) this.set({ server, state: each }, state === each ? 1 : 0);
      }
    },
  });
  addLoadGauges(
    () =>
      withLabel(servers).map(({ server, requests, waiting, maxInflight }) => {
        return { server, running: requests - waiting, waiting, maxRunning: maxInflight };
      }),
    registers,
  );
  new Gauge({
    name: "rolltape_engine_server_logprobs",
    help: "1 for what the log probabilities of an engine server include, 0 for the other values.",
    labelNames: ["server", "content"],
    registers,
    collect() {
      for (const { server, logprobs } of withLabel(servers)) {
        for (const content of LOGPROB_CONTENTS) this.set({ server, content }, logprobs === content ? 1 : 0);
      }
    },
  });
  new Gauge({
    name: "rolltape_engine_paused",
    help: "1 while this proxy has paused the engine, else 0.",
    registers,
    collect() {
      this.set(servers.paused === undefined ? 0 : 1);
    },
  });
}

function addLoadGauges(readLoads: () => readonly ServerLoad[], registers: Registry[]): void {
  new Gauge({
    name: "rolltape_engine_server_inflight_requests",
    help: "Requests in flight by place: running on a server, or waiting for a place on it.",
    labelNames: ["server", "place"],
    registers,
    collect() {
      for (const { server, running, waiting } of readLoads()) {
        this.set({ server, place: "running" }, running);
        this.set({ server, place: "waiting" }, waiting);
      }
    },
  });
  new Gauge({
    name: "rolltape_engine_server_max_inflight_requests",
    help: "Requests that may run on an engine server at once (engine.max_inflight, or engine.sequences of the embedded engine).",
    labelNames: ["server"],
    registers,
    collect() {
      for (const { server, maxRunning } of readLoads()) this.set({ server }, maxRunning);
    },
  });
}

function addRequestCounters(servers: ServerControl, registers: Registry[]): void {
  new Counter({
    name: "rolltape_engine_server_requests_total",
    help: "Requests to an engine server by outcome.",
    labelNames: ["server", "outcome"],
    registers,
    collect() {
      this.reset();
      for (const { server, counts } of withLabel(servers)) {
        for (const outcome of ["completed", "failed", "aborted"] as const)
          this.inc({ server, outcome }, counts[outcome]);
      }
    },
  });
  new Counter({
    name: "rolltape_engine_server_failovers_total",
    help: "Requests sent to another engine server because this one did not start them or died.",
    labelNames: ["server"],
    registers,
    collect() {
      this.reset();
      for (const { server, counts } of withLabel(servers)) this.inc({ server }, counts.failovers);
    },
  });
}

/** Returns the servers with the label `server`, their address without user name and password: anyone can read metrics. */
function withLabel(servers: ServerControl): (EngineServerState & { readonly server: string })[] {
  return servers.list().map((state) => {
    const { origin, pathname } = new URL(state.url);
    return { ...state, server: pathname === "/" ? origin : `${origin}${pathname}` };
  });
}
