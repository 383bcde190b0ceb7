import { Counter, Gauge, Registry } from "prom-client";
import { addGauge } from "../http/metrics/add-gauge.js";
import { addBuildInfo } from "../http/metrics/build-info.js";
import { scrapeProcessMetrics } from "../http/metrics/process.js";
/** The controller's Prometheus metrics. */
export class ControllerMetrics {
    registry = new Registry();
    constructor({ tasks, remover, readJob }) {
        const register = this.registry;
        addBuildInfo(register, "rolltape_controller_build_info");
        const states = {
            waiting: () => readJob().waiting,
            queued: () => tasks.counts.queued,
            leased: () => tasks.counts.leased,
            accepted: () => readJob().accepted,
            rejected: () => readJob().rejected,
        };
        new Gauge({
            name: "rolltape_controller_tasks",
            help: "Tasks by state: `waiting` (may not start yet), `queued` (wait for a worker), `leased`, `accepted`, `rejected`.",
            labelNames: ["state"],
            registers: [register],
            collect() {
                for (const [state, read] of Object.entries(states))
                    this.set({ state }, read());
            },
        });
        addGauge(register, "rolltape_controller_workers", "Registered rollout workers.", () => tasks.workers.all().length);
        addGauge(register, "rolltape_controller_idle_workers", "Rollout workers that wait for tasks.", () => tasks.counts.idle);
        addGauge(register, "rolltape_controller_sessions_to_delete", "Sessions of lost attempts that the proxy has not deleted yet.", () => remover.pending);
        addCounter(register, "rolltape_controller_lost_attempts_total", "Attempts of tasks that were lost.", () => tasks.counts.lost);
        addCounter(register, "rolltape_controller_refused_reports_total", "Reports that came too late.", () => tasks.counts.refused);
    }
    scrape() {
        return Promise.all([this.registry.metrics(), scrapeProcessMetrics()]).then((parts) => parts.join("\n"));
    }
}
/** Adds a counter whose value is read at each scrape. */
function addCounter(register, name, help, read) {
    new Counter({
        name,
        help,
        registers: [register],
        collect() {
            this.reset();
            this.inc(read());
        },
    });
}
//# sourceMappingURL=controller-metrics.js.map