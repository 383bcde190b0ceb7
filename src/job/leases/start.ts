import type { FastifyBaseLogger } from "fastify";
import { type Config, readConnectionLimits } from "../../config/index.js";
import { finishAnswers } from "../../http/connections/finish-answers.js";
import { LISTEN_BACKLOG } from "../../http/listen.js";
import { fitToOpenFiles } from "../../http/open-files.js";
import { createController } from "./app.js";
import type { ControllerContext } from "./context.js";

export interface ControllerStartOptions extends Omit<ControllerContext, "publicMetrics" | "accessLog"> {
  readonly adminKey: string;
  readonly host: string;
  readonly port: number;
  readonly logger?: FastifyBaseLogger | undefined;
}

export interface RunningController {
  readonly url: string;
  /** Tells workers that the job is over, unless its state cannot be stored, and stops once the answers in progress are sent. */
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 4096;

/** Maximum time in which workers hear that the job is over. Longer than the pauses of a worker whose last call was not answered. */
const FAREWELL_MS = 10_000;
/** A worker that has not called for longer is not waited for. It calls at least every 30 seconds while it waits for tasks. */
const ALIVE_SECONDS = 40;

/** Starts the controller's HTTP server with section `server` of the configuration. Resolves when it accepts calls. */
export async function startController(
  config: Config,
  { adminKey, host, port, logger, ...context }: ControllerStartOptions,
): Promise<RunningController> {
  const { server } = config;
  const limits = readConnectionLimits(config);
  // A worker has a handful of connections. Those of a job's proxy, in the same process, need the open files.
  const maxConnections = Math.min(limits.maxConnections, MAX_CONNECTIONS);
  const app = await createController({
    ...context,
    adminKey,
    publicMetrics: server.public_metrics,
    accessLog: server.access_log,
    maxBodyBytes: server.max_body_bytes,
    bodyBytesInFlight: server.body_bytes_in_flight,
    connections: fitToOpenFiles({ ...limits, maxConnections }, 0, logger),
    logger,
  });
  const url = await app.listen({ host, port, backlog: LISTEN_BACKLOG });
  const close = async () => {
    context.tasks.close();
    // Workers whose request is on its way are told too, before the connections close.
    await waitUntil(() => !context.tasks.done || !context.tasks.workers.hasAlive(ALIVE_SECONDS), FAREWELL_MS);
    app.connections.closeSoon();
    await finishAnswers(app.connections, Date.now() + CLOSE_MS);
    const closed = app.close();
    app.server.closeAllConnections();
    await closed;
  };
  return { url, close };
}

/** Maximum time in which answers in progress are sent. */
const CLOSE_MS = 2_000;
const POLL_MS = 20;

async function waitUntil(condition: () => boolean, milliseconds: number): Promise<void> {
  const until = performance.now() + milliseconds;
  while (!condition() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}
