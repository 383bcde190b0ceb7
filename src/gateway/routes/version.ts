import { versionBody } from "../../admin-api/weight-version.js";
import type { App } from "../../http/app-type.js";
import type { GatewayContext } from "../context.js";
import { setVersion } from "../fleet/set-version.js";
import { relay } from "../relay.js";
import { pickCredentials } from "../routing.js";
import type { ModelWeights } from "../weights/model-weights.js";

/** Sets the weight version on every worker. The call is idempotent: if a worker fails, the trainer repeats it. */
export function versionRoutes(app: App, context: GatewayContext, weights: ModelWeights): void {
  app.post("/rl/set_version", { schema: { body: versionBody } }, async (request, reply) => {
    weights.requireNone(request.body.model);
    return relay(await setVersion(context, pickCredentials(request), request.body), reply);
  });
}
