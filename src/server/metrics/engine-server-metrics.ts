import { Counter, Gauge, type Registry } from "prom-client";
import type { Engine, EngineLoad, EngineServerState } from "../../engine/engine.js";
import { LOGPROB_CONTENTS } from "../../facts/recorded-sampling.js";

const STATES: readonly EngineServerState["state"][] = ["up", "down", "draining", "unknown"];

/** An engine, and the name of its model if the server answers several. */
export interface ObservedEngine {
  readonly engine: Pick<Engine, "type" | "servers" | "load">;
  readonly model: string | undefined;
}

/** The labels of an engine server. `model` is absent if there is only one. */
interface ServerLabels {
  readonly server: string;
  readonly model?: string;
}

interface ServerLoad extends EngineLoad {
  readonly labels: ServerLabels;
}

/** Adds the metrics of engines. An engine that runs in this process counts as one server with the name of its type. */
export function observeEngines(engines: readonly ObservedEngine[], register: Registry): void {
  const served = engines.filter(({ engine }) => engine.servers);
  if (served.length > 0) observeServers(served, register);
  const readLoads = () =>
    engines.flatMap(({ engine, model }): ServerLoad[] => {
      if (engine.load) return [{ labels: { server: engine.type, ...labelModel(model) }, ...engine.load }];
      return listStates([{ engine, model }]).map(({ labels, requests, waiting, maxInflight }) => {
        return { labels, running: requests - waiting, waiting, maxRunning: maxInflight };
      });
    });
  if (engines.some(({ engine }) => engine.load || engine.servers)) addLoadGauges(readLoads, [register]);
}

const labelModel = (model: string | undefined) => (model === undefined ? {} : { model });

/** Adds the metrics of each server. The servers have their own counts, which are read at each scrape. */
function observeServers(engines: readonly ObservedEngine[], register: Registry): void {
  const registers = [register];
  addRequestCounters(engines, registers);
  new Gauge({
    name: "rolltape_engine_server_state",
    help: "1 for the state that an engine server is in, 0 for its other states; unknown until it is reached for the first time.",
    labelNames: ["server", "model", "state"],
    registers,
    collect() {
      for (const { labels, state } of listStates(engines)) {
        for (const each of STATES) this.set({ ...labels, state: each }, state === each ? 1 : 0);
      }
    },
  });
  new Gauge({
    name: "rolltape_engine_server_logprobs",
    help: "1 for what the log probabilities of an engine server include, 0 for the other values.",
    labelNames: ["server", "model", "content"],
    registers,
    collect() {
      for (const { labels, logprobs } of listStates(engines)) {
        for (const content of LOGPROB_CONTENTS) this.set({ ...labels, content }, logprobs === content ? 1 : 0);
      }
    },
  });
  new Gauge({
    name: "rolltape_engine_paused",
    help: "1 while this proxy has paused the engine, else 0.",
    labelNames: ["model"],
    registers,
    collect() {
      for (const { engine, model } of engines) {
        this.set(labelModel(model), engine.servers?.paused === undefined ? 0 : 1);
      }
    },
  });
}

function addLoadGauges(readLoads: () => readonly ServerLoad[], registers: Registry[]): void {
  new Gauge({
    name: "rolltape_engine_server_inflight_requests",
    help: "Requests in flight by place: running on a server, or waiting for a place on it.",
    labelNames: ["server", "model", "place"],
    registers,
    collect() {
      for (const { labels, running, waiting } of readLoads()) {
        this.set({ ...labels, place: "running" }, running);
        this.set({ ...labels, place: "waiting" }, waiting);
      }
    },
  });
  new Gauge({
    name: "rolltape_engine_server_max_inflight_requests",
    help: "Requests that may run on an engine server at once (engine.max_inflight, or engine.sequences of the embedded engine).",
    labelNames: ["server", "model"],
    registers,
    collect() {
      for (const { labels, maxRunning } of readLoads()) this.set({ ...labels }, maxRunning);
    },
  });
}

function addRequestCounters(engines: readonly ObservedEngine[], registers: Registry[]): void {
  new Counter({
    name: "rolltape_engine_server_requests_total",
    help: "Requests to an engine server by outcome.",
    labelNames: ["server", "model", "outcome"],
    registers,
    collect() {
      this.reset();
      for (const { labels, counts } of listStates(engines)) {
        for (const outcome of ["completed", "failed", "aborted"] as const)
          this.inc({ ...labels, outcome }, counts[outcome]);
      }
    },
  });
  new Counter({
    name: "rolltape_engine_server_failovers_total",
    help: "Requests sent to another engine server because this one did not start them or died.",
    labelNames: ["server", "model"],
    registers,
    collect() {
      this.reset();
      for (const { labels, counts } of listStates(engines)) this.inc({ ...labels }, counts.failovers);
    },
  });
}

/** Returns the servers with their labels. The label `server` is the address without user name and password: anyone can read metrics. */
function listStates(engines: readonly ObservedEngine[]): (EngineServerState & { readonly labels: ServerLabels })[] {
  return engines.flatMap(({ engine, model }) =>
    (engine.servers?.list() ?? []).map((state) => {
      const { origin, pathname } = new URL(state.url);
      const server = pathname === "/" ? origin : `${origin}${pathname}`;
      return { ...state, labels: { server, ...labelModel(model) } };
    }),
  );
}
