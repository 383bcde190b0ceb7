import { Gauge } from "prom-client";
import { packageVersion } from "../../support/package-version.js";
/** Adds a gauge that is always 1 and has the running versions as labels. */
export function addBuildInfo(register, name) {
    const info = new Gauge({
        name,
        help: "Always 1, with the versions of Rolltape and Node.js as labels.",
        labelNames: ["version", "node_version"],
        registers: [register],
    });
    info.set({ version: packageVersion(), node_version: process.versions.node }, 1);
}
//# sourceMappingURL=build-info.js.map