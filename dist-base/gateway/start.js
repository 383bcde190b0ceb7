import { readConnectionLimits, readProbeSettings } from "../config/index.js";
import { listCut } from "../http/connections/answer.js";
import { finishAnswers } from "../http/connections/finish-answers.js";
import { listen } from "../http/listen.js";
import { fitToOpenFiles } from "../http/open-files.js";
import { ProbePort } from "../http/probes/probe-port.js";
import { createGateway } from "./app.js";
import { readReadiness } from "./readiness.js";
import { Upstream } from "./upstream.js";
import { WorkerAddresses } from "./worker-addresses.js";
import { WorkerPool } from "./worker-pool.js";
/** Starts a gateway with the sections `gateway` and `server` of the configuration. Resolves when it accepts calls. */
export async function startGateway(config, options = {}) {
    const { logger } = options;
    const probes = options.probes ?? (await ProbePort.open({ ...readProbeSettings(config), logger }));
    try {
        return await startForwarding(config, { ...options, probes });
    }
    catch (error) {
        await probes?.close();
        throw error;
    }
}
async function startForwarding(config, { adminKey, logger, processes, probes }) {
    const { gateway, server } = config;
    const report = reportOnce((problem) => logger?.error(problem));
    const sources = {
        urls: gateway.workers,
        file: gateway.workers_file ?? undefined,
        folder: gateway.workers_folder ?? undefined,
    };
    const addresses = new WorkerAddresses(sources, report);
    const limits = readConnectionLimits(config);
    // Each call needs one connection to its client and one to its worker.
    const connections = fitToOpenFiles(limits, limits.maxConnections, logger);
    const upstream = new Upstream();
    let stopping = false;
    const pool = new WorkerPool({
        addresses,
        upstream,
        pollSeconds: gateway.poll_seconds,
        unreachableMilliseconds: toMilliseconds(gateway.unreachable_seconds),
        returnMilliseconds: toMilliseconds(gateway.worker_return_seconds),
        report,
    });
    const release = async () => {
        pool.close();
        await upstream.close();
    };
    try {
        await pool.start();
        const { app, describeHold } = await createGateway({
            pool,
            upstream,
            controlMilliseconds: toMilliseconds(gateway.control_timeout_seconds),
            direct: gateway.direct ?? false,
            publicMetrics: server.public_metrics,
            accessLog: server.access_log,
            maxBodyBytes: server.max_body_bytes,
            connections,
            bodyBytesInFlight: server.body_bytes_in_flight,
            adminKey,
            strictControlFields: server.strict_control_fields,
            processes,
            logger,
        });
        const url = await listen(app, server);
        await probes?.start(() => readReadiness(pool, { processes, stopping, hold: describeHold() }));
        const announceStop = async () => {
            stopping = true;
            await probes?.refresh();
        };
        const close = async ({ deadline, workersEnded = false } = {}) => {
            await announceStop();
            app.connections.closeSoon();
            if (workersEnded)
                pool.close();
            const cut = await finishAnswers(app.connections, deadline ?? Date.now() + server.shutdown_seconds * 1000);
            if (cut.length > 0)
                logger?.error({ cutAnswers: listCut(cut) }, "gateway stopped before all answers were sent");
            const closed = app.close();
            app.server.closeAllConnections();
            await closed;
            await release();
            await probes?.close();
            return cut;
        };
        return { url, probeUrl: probes?.url, workers: pool.living().map(({ tag }) => tag), announceStop, close };
    }
    catch (error) {
        await release();
        throw error;
    }
}
/** Returns a whole number, because `AbortSignal.timeout` throws for fractions. */
function toMilliseconds(seconds) {
    return Math.ceil(seconds * 1000);
}
/** Returns a function that reports each problem once. Every poll finds a lasting problem again. */
function reportOnce(report) {
    const reported = new Set();
    return (problem) => {
        if (reported.has(problem))
            return;
        reported.add(problem);
        report(problem);
    };
}
//# sourceMappingURL=start.js.map