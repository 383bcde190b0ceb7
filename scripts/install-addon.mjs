// The package's install script. An installed package uses the addon in prebuilds/ if this machine can load it, and otherwise
// compiles one. A checkout always compiles, to build/Release/rolltape.node.
//
// ROLLTAPE_BUILD_ADDON=1 compiles although a prebuilt addon fits.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileAddon } from "./install/compile-addon.mjs";
import { findPrebuilt } from "./install/find-prebuilt.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// Packages leave the tests out: see `files` in package.json.
const isCheckout = existsSync(join(root, "native", "test"));
const mustCompile = isCheckout || (process.env.ROLLTAPE_BUILD_ADDON ?? "") !== "";

const { path, reason } = mustCompile ? { reason: undefined } : findPrebuilt(root);
if (path === undefined) {
  if (reason !== undefined) console.error(`rolltape: no prebuilt addon fits, so it is compiled: ${reason}`);
  process.exitCode = compileAddon(root, isCheckout);
}
