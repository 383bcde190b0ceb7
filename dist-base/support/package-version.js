import { readFileSync } from "node:fs";
import { z } from "zod";
/** Returns the version in this package's package.json. */
export function packageVersion() {
    const file = new URL("../../package.json", import.meta.url);
    return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(file, "utf8"))).version;
}
//# sourceMappingURL=package-version.js.map