import type { FastifyBaseLogger } from "fastify";
import { type Config, readConnectionLimits, readProbeSettings } from "../config/index.js";
import { finishAnswers } from "../http/connections/finish-answers.js";
import { type CutAnswer, listCut } from "../http/connections/http-answer.js";
import { listen } from "../http/listen.js";
import { fitToOpenFiles } from "../http/open-files.js";
import { ProbePort } from "../http/probes/probe-port.js";
import { openTelemetry } from "../telemetry/open-telemetry.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import { createGateway } from "./app.js";
import type { WorkerProcessState } from "./context.js";
import { openWorkerPool } from "./open-worker-pool.js";
import { readGatewayReadiness } from "./readiness.js";
import { WorkerConnections } from "./worker-connections.js";

export interface RunningGateway {
  readonly url: string;
  /** Address of `server.probe_port`. Undefined if it is not set. */
  readonly probeUrl: string | undefined;
  /** Tags of the workers that answered. */
  readonly workers: readonly string[];
  /** Tells probes of `server.probe_port` that the gateway will stop. It still forwards calls. */
  announceStop(): Promise<void>;
  /**
   * Stops the gateway once the answers in progress are sent, or at the deadline.
   *
   * @returns the answers that were cut
   */
  close(options?: GatewayStop): Promise<CutAnswer[]>;
}

export interface GatewayStop {
  /** A time in milliseconds since the epoch. Default: after `server.shutdown_seconds`. */
  readonly deadline?: number;
  /** True if no worker comes back, so that calls do not wait for one. */
  readonly workersEnded?: boolean;
}

export interface GatewayStartOptions {
  /** Returns the state of the processes that run the workers, if the gateway's command started them. `/health` shows it. */
  readonly processes?: (() => readonly WorkerProcessState[]) | undefined;
  /** Admin key of the workers. With it, the gateway refuses control calls with another key before it reads their bodies. */
  readonly adminKey?: string | undefined;
  readonly logger?: FastifyBaseLogger;
  /** Open port for probes, which the gateway closes. Default: opens `server.probe_port`. */
  readonly probes?: ProbePort | undefined;
}

/** Time that a worker may take to answer a control call. Model calls and exports have no such limit. */
export const CONTROL_TIMEOUT_MS = 5000;

/** Starts a gateway with the sections `gateway` and `server` of the configuration. Resolves when it accepts calls. */
export async function startGateway(config: Config, options: GatewayStartOptions = {}): Promise<RunningGateway> {
  const { logger } = options;
  const probes = options.probes ?? (await ProbePort.open({ ...readProbeSettings(config), logger }));
  let telemetry: Telemetry | undefined;
  try {
    telemetry = await openTelemetry(config.telemetry, { service: "rolltape-gateway", log: logger });
    return await startForwarding(config, { ...options, probes, telemetry });
  } catch (error) {
    await telemetry?.close();
    await probes?.close();
    throw error;
  }
}

async function startForwarding(
  config: Config,
  {
    adminKey,
    logger,
    processes,
    probes,
    telemetry,
  }: GatewayStartOptions & { readonly telemetry: Telemetry | undefined },
): Promise<RunningGateway> {
  const { gateway, server } = config;
  const limits = readConnectionLimits(config);
  // Each call needs one connection to its client and one to its worker.
  const connections = fitToOpenFiles(limits, limits.maxConnections, logger);
  const upstream = new WorkerConnections();
  let stopping = false;
  const pool = openWorkerPool(config, upstream, (problem) => logger?.error(problem));
  const release = async () => {
    pool.close();
    await upstream.close();
  };
  try {
    await pool.start();
    const { app, describeHold } = await createGateway({
      pool,
      upstream,
      controlMilliseconds: CONTROL_TIMEOUT_MS,
      direct: gateway.direct ?? false,
      publicMetrics: server.public_metrics,
      accessLog: server.access_log,
      maxBodyBytes: server.max_body_bytes,
      connections,
      bodyBytesInFlight: server.body_bytes_in_flight,
      adminKey,
      strictControlFields: server.strict_control_fields,
      sharedMemory: { directory: server.shared_memory_directory, maxBytes: server.shared_memory_bytes },
      processes,
      telemetry,
      logger,
    });
    const url = await listen(app, server);
    await probes?.start(() => readGatewayReadiness(pool, { processes, stopping, hold: describeHold() }));
    const announceStop = async () => {
      stopping = true;
      await probes?.refresh();
    };
    const close = async ({ deadline, workersEnded = false }: GatewayStop = {}) => {
      await announceStop();
      app.connections.closeSoon();
      if (workersEnded) pool.close();
      const cut = await finishAnswers(app.connections, deadline ?? Date.now() + server.shutdown_seconds * 1000);
      if (cut.length > 0) logger?.error({ cutAnswers: listCut(cut) }, "gateway stopped before all answers were sent");
      const closed = app.close();
      app.server.closeAllConnections();
      await closed;
      await release();
      await telemetry?.close();
      await probes?.close();
      return cut;
    };
    return { url, probeUrl: probes?.url, workers: pool.living().map(({ tag }) => tag), announceStop, close };
  } catch (error) {
    await release();
    throw error;
  }
}
