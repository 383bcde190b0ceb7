// The package's prepack script: `npm pack` and `npm publish` fail if prebuilds/ has addons of older sources. A program that
// installs such a package loads the addon, and crashes at the first call of a function that it lacks.
// usage: node scripts/check-prebuilds.mjs [folder of the package]
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { findStalePrebuilds } from "./prebuilds/sources.mjs";

const root = process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url)));
const stale = findStalePrebuilds(root);
if (stale.length > 0) {
  console.error(
    `prebuilds/ has addons that were compiled from other sources: ${stale.join(", ")}. ` +
      "Run `npm run build:prebuilds`, or remove the folder to pack without addons.",
  );
  process.exitCode = 1;
}
