import type { FastifyBaseLogger } from "fastify";
import type { Config } from "../config/index.js";
import { createGateway } from "./app.js";
import { Upstream } from "./upstream.js";
import { WorkerAddresses } from "./worker-addresses.js";
import { WorkerPool } from "./worker-pool.js";

export interface RunningGateway {
  readonly url: string;
  /** Tags of the workers that answered. */
  readonly workers: readonly string[];
  /** Answers that are under way end first. */
  close(): Promise<void>;
}

/** Starts a gateway as the configuration's `gateway` and `server` say; resolves when it accepts calls. */
export async function startGateway(
  { gateway, server }: Config,
  { logger }: { readonly logger?: FastifyBaseLogger } = {},
): Promise<RunningGateway> {
  const report = onceEach((problem) => logger?.error(problem));
  const sources = {
    urls: gateway.workers,
    file: gateway.workers_file ?? undefined,
    folder: gateway.workers_folder ?? undefined,
  };
  const addresses = new WorkerAddresses(sources, report);
  const upstream = new Upstream();
  const pool = new WorkerPool({ addresses, upstream, pollSeconds: gateway.poll_seconds, report });
  const release = async () => {
    pool.close();
    await upstream.close();
  };
  try {
    await pool.start();
    const app = await createGateway({
      pool,
      upstream,
      maxBodyBytes: server.max_body_bytes,
      strictControlFields: server.strict_control_fields,
      logger,
    });
    const url = await app.listen({ host: server.host, port: server.port });
    const close = async () => {
      const stragglers = setTimeout(() => app.server.closeAllConnections(), server.shutdown_seconds * 1000);
      await app.close();
      clearTimeout(stragglers);
      await release();
    };
    return { url, workers: pool.living().map(({ tag }) => tag), close };
  } catch (error) {
    await release();
    throw error;
  }
}

/** What stays wrong is found at every look; it is said once. */
function onceEach(report: (problem: string) => void): (problem: string) => void {
  const said = new Set<string>();
  return (problem) => {
    if (said.has(problem)) return;
    said.add(problem);
    report(problem);
  };
}
