import type { FastifyInstance } from "fastify";
import fp from "fastify-plugin";
import { Counter, type Registry } from "prom-client";
import { listCut } from "./http-answer.js";

export interface ClosedConnectionsOptions {
  /** Time without progress after which an answer that its client does not read is cut. 0: no limit. */
  readonly sendTimeoutMilliseconds: number;
  readonly register: Registry;
  /** Name of the counter. */
  readonly metric: string;
}

/** Maximum time between two checks of all connections. */
const CHECK_MS = 1000;

/**
 * Closes connections whose clients stopped reading their answers, and counts the connections that were closed because of a
 * limit.
 */
export const closedConnections = fp<ClosedConnectionsOptions>((app, options, done) => {
  const { sendTimeoutMilliseconds, register, metric } = options;
  const closed = new Counter({
    name: metric,
    help: "Connections that were closed because of a limit, by reason.",
    labelNames: ["reason"],
    registers: [register],
  });
  // Without a first sample of 0, Prometheus would not see the first increase.
  for (const reason of ["max_connections", "idle", "send_timeout"]) closed.inc({ reason }, 0);
  app.connections.limit.onOverflow = (reason) => closed.inc({ reason });
  if (sendTimeoutMilliseconds > 0) {
    cutUnreadAnswers(app, sendTimeoutMilliseconds, (count) => closed.inc({ reason: "send_timeout" }, count));
  }
  done();
});

/**
 * Checks all connections at intervals. The timers of the sockets cannot be used: bytes that the client sends also restart them, and
 * Node uses them for idle connections.
 */
function cutUnreadAnswers(app: FastifyInstance, milliseconds: number, onCut: (count: number) => void): void {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  const check = () => {
    const cut = app.connections.cutUnread(milliseconds);
    // A running timer would keep an unused application in memory, such as the proxy of a program that uses the library.
    if (app.connections.size === 0) stop();
    if (cut.length === 0) return;
    onCut(cut.length);
    app.log.warn(
      { count: cut.length, cutAnswers: listCut(cut) },
      "answers were cut because their clients stopped reading",
    );
  };
  app.server.on("request", () => {
    // `setImmediate` lets Node write first. After the process was suspended or busy, the operating system may accept bytes again,
    // and `check` must see that.
    timer ??= setInterval(() => setImmediate(check), Math.min(CHECK_MS, milliseconds / 2)).unref();
  });
}
