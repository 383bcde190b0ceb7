import { z } from "zod";
import { PROBE_PATHS } from "../../admin-api/probe-paths.js";
import type { App } from "../../http/app-type.js";
import { ApiError } from "../../http/errors.js";
import { callWorker } from "../contact/call-worker.js";
import type { GatewayContext } from "../context.js";
import type { GatewayMetrics } from "../gateway-metrics.js";
import { gatewayHealth, readGatewayReadiness } from "../readiness.js";
import { pickCredentials } from "../routing.js";
import type { ModelWeights } from "../weights/model-weights.js";
import type { Worker } from "../worker-pool.js";

const alive = z.object({ status: z.literal("ok") });

const NO_UI =
  "A gateway has no page at `/ui`: sessions are shown by the server that has them. Use the addresses of the servers behind it.";

/** Probes, and metrics of the gateway and all workers. */
export function gatewayServiceRoutes(
  app: App,
  { pool, upstream, controlMilliseconds, publicMetrics, processes }: GatewayContext,
  { metrics, weights }: { readonly metrics: GatewayMetrics; readonly weights: ModelWeights },
): void {
  app.get("/livez", { config: { public: true }, schema: { response: { 200: alive } } }, async () => ({
    status: "ok" as const,
  }));

  for (const path of PROBE_PATHS) {
    app.get(path, { config: { public: true }, schema: { response: { 200: alive } } }, async () => ({
      status: "ok" as const,
    }));
  }

  for (const path of ["/readyz", "/health"]) {
    const options = {
      config: { public: true },
      schema: { response: { 200: gatewayHealth, 503: gatewayHealth } },
    } as const;
    app.get(path, options, async (_, reply) => {
      const { statusCode, body } = readGatewayReadiness(pool, { processes, hold: weights.describeHold() });
      return reply.code(statusCode).send(body);
    });
  }

  for (const path of ["/ui", "/ui/*"]) {
    app.get(path, { config: { public: true }, schema: { hide: true } }, async () => {
      throw new ApiError("not_found", NO_UI);
    });
  }

  app.get("/metrics", { config: { public: publicMetrics } }, async (request, reply) => {
    const headers = pickCredentials(request);
    const scrape = async (worker: Worker) => {
      const call = { method: "GET", path: "/metrics", headers } as const;
      const workerReply = await callWorker(upstream, worker, call, controlMilliseconds);
      return workerReply?.status === 200 ? [{ tag: worker.tag, text: workerReply.body.toString() }] : [];
    };
    const scrapes = (await Promise.all(pool.all().map(scrape))).flat();
    return reply.type(metrics.registry.contentType).send(mergeMetrics([{ text: await metrics.scrape() }, ...scrapes]));
  });
}

/** The metrics of one process. */
interface Scrape {
  /** The worker's tag; absent for the gateway itself, whose samples get no label. */
  readonly tag?: string;
  /** The metrics in Prometheus' text format. */
  readonly text: string;
}

interface Family {
  readonly head: readonly string[];
  readonly samples: string[];
}

const SAMPLE = /^([A-Za-z_:][A-Za-z0-9_:]*)(?:\{([^}].*)?\})? (.+)$/;

/** Merges scrapes into one text. Each metric is described once, and its samples have the worker as a label. */
function mergeMetrics(scrapes: readonly Scrape[]): string {
  const families = new Map<string, Family>();
  for (const { tag, text } of scrapes) addScrape(families, tag, text);
  return [...families.values()].map(({ head, samples }) => `${[...head, ...samples].join("\n")}\n`).join("\n");
}

function addScrape(families: Map<string, Family>, tag: string | undefined, text: string): void {
  let head: string[] = [];
  let family: Family | undefined;
  for (const line of text.split("\n")) {
    if (line.startsWith("# HELP ")) {
      head = [line];
      family = undefined;
    } else if (line.startsWith("# TYPE ")) {
      const name = line.split(" ")[2] ?? "";
      family = families.get(name) ?? { head: [...head, line], samples: [] };
      families.set(name, family);
    } else {
      const sample = SAMPLE.exec(line);
      if (sample && family) family.samples.push(tag === undefined ? line : addWorkerLabel(sample, tag));
    }
  }
}

function addWorkerLabel([, name, labels, rest]: RegExpExecArray, tag: string): string {
  return `${name}{worker="${tag}"${labels === undefined ? "" : `,${labels}`}} ${rest}`;
}
