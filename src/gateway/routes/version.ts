import { versionBody } from "../../admin-api/weight-version.js";
import type { WeightUpdates } from "../../admin-api/weights/weight-updates.js";
import type { App } from "../../http/app-type.js";
import type { GatewayContext } from "../context.js";
import { setVersion } from "../fleet/set-version.js";
import { relay } from "../relay.js";
import { pickCredentials } from "../routing.js";

/** Sets the weight version on every worker. The call is idempotent: if a worker fails, the trainer repeats it. */
export function versionRoutes(app: App, context: GatewayContext, updates: WeightUpdates): void {
  app.post("/rl/set_version", { schema: { body: versionBody } }, async (request, reply) => {
    updates.requireNone();
    return relay(await setVersion(context, pickCredentials(request), request.body), reply);
  });
}
