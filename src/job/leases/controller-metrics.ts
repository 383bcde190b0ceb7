import { Counter, Gauge, Registry } from "prom-client";
import { addGauge } from "../../http/metrics/add-gauge.js";
import { addBuildInfo } from "../../http/metrics/build-info.js";
import { scrapeProcessMetrics } from "../../http/metrics/process.js";
import type { ControllerContext } from "./context.js";

/** The controller's Prometheus metrics. */
export class ControllerMetrics {
  readonly registry = new Registry();

  constructor({ tasks, store, remover }: ControllerContext) {
    const register = this.registry;
    addBuildInfo(register, "rolltape_controller_build_info");
    new Gauge({
      name: "rolltape_controller_tasks",
      help: "Tasks by state: `waiting` (may not start yet), `queued` (wait for a worker), `leased`, `accepted`, `rejected`.",
      labelNames: ["state"],
      registers: [register],
      async collect() {
        const { waiting, queued, leased, accepted, earlier, rejected } = await store.readCounts();
        const states = { waiting, queued, leased, accepted: accepted - earlier, rejected };
        for (const [state, tasks] of Object.entries(states)) this.set({ state }, tasks);
      },
    });
    addGauge(register, "rolltape_controller_workers", "Registered rollout workers.", () => tasks.workers.all().length);
    addGauge(
      register,
      "rolltape_controller_idle_workers",
      "Rollout workers that wait for tasks.",
      () => tasks.counts.idle,
    );
    addGauge(
      register,
      "rolltape_controller_sessions_to_delete",
      "Sessions of lost attempts that the proxy has not deleted yet.",
      () => remover.pending,
    );
    addCounter(
      register,
      "rolltape_controller_lost_attempts_total",
      "Attempts of tasks that were lost.",
      async () => (await store.readCounts()).lost,
    );
    addCounter(
      register,
      "rolltape_controller_refused_reports_total",
      "Reports that came too late.",
      () => tasks.counts.refused,
    );
  }

  scrape(): Promise<string> {
    return Promise.all([this.registry.metrics(), scrapeProcessMetrics()]).then((parts) => parts.join("\n"));
  }
}

/** Adds a counter whose value is read at each scrape. */
function addCounter(register: Registry, name: string, help: string, read: () => number | Promise<number>): void {
  new Counter({
    name,
    help,
    registers: [register],
    async collect() {
      const value = await read();
      this.reset();
      this.inc(value);
    },
  });
}
