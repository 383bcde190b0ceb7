import type { z } from "zod";
import { CORDON_PATHS, cordonBody, cordonState } from "../../admin-api/cordon.js";
import type { App } from "../../http/app-type.js";
import { ApiError } from "../../http/errors.js";
import { addGauge } from "../../http/metrics/add-gauge.js";
import { countUnfinished } from "../readiness.js";
import type { ServerServices } from "../services.js";

/** Stops the start of new sessions before the server is removed, and allows it again. Sessions that exist go on. */
export function cordonRoutes(app: App, services: ServerServices): void {
  const help = "1 while the server is cordoned, so that it starts no new sessions, else 0.";
  addGauge(services.metrics.registry, "rolltape_cordoned", help, () => (services.cordoned ? 1 : 0));
  addRoute(app, services, {
    path: CORDON_PATHS.cordon,
    cordoned: true,
    summary: "Start no new sessions; those that exist go on",
  });
  addRoute(app, services, { path: CORDON_PATHS.uncordon, cordoned: false, summary: "Start sessions again" });
}

interface Change {
  readonly path: string;
  readonly cordoned: boolean;
  readonly summary: string;
}

function addRoute(app: App, services: ServerServices, { path, cordoned, summary }: Change): void {
  app.post(
    path,
    {
      config: { key: "admin", worksWithoutDisk: true },
      schema: { summary, body: cordonBody, response: { 200: cordonState } },
    },
    async ({ body: { worker }, log }): Promise<z.input<typeof cordonState>> => {
      requireTag(services, worker);
      if (services.cordoned !== cordoned) log.info(`the server is ${cordoned ? "cordoned" : "no longer cordoned"}`);
      services.cordoned = cordoned;
      return { cordoned, sessions: countUnfinished(services.registry) };
    },
  );
}

/** @throws ApiError `invalid_value` if the call is for another server, which had this address before */
function requireTag({ registry: { workerTag } }: ServerServices, worker: string | undefined): void {
  if (worker === undefined || worker === workerTag) return;
  const own =
    workerTag === undefined ? "absent, because this server has no tag" : `${workerTag}, the tag of this server`;
  throw new ApiError("invalid_value", `\`worker\` must be ${own}; received ${worker.slice(0, 200)}.`, {
    param: "worker",
  });
}
