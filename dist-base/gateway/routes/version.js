import { versionBody } from "../../control/weight-version.js";
import { setVersion } from "../fleet/set-version.js";
import { relay } from "../relay.js";
import { pickCredentials } from "../routing.js";
/** Sets the weight version on every worker. The call is idempotent: if a worker fails, the trainer repeats it. */
export function versionRoutes(app, context, updates) {
    app.post("/rl/set_version", { schema: { body: versionBody } }, async (request, reply) => {
        updates.requireNone();
        return relay(await setVersion(context, pickCredentials(request), request.body), reply);
    });
}
//# sourceMappingURL=version.js.map