import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { NativeAddon } from "./contract.js";

/** The package's folder, from src/ and from dist/ alike. */
function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`no package.json above ${fileURLToPath(import.meta.url)}`);
    folder = parent;
  }
  return folder;
}

/** Where the compiled addon may be, first choice first. `ROLLTAPE_ADDON_PATH` names another build, alone. */
function candidates(): string[] {
  const chosen = process.env["ROLLTAPE_ADDON_PATH"];
  if (chosen !== undefined && chosen !== "") return [chosen];
  const root = packageRoot();
  return [
    join(root, "build", "Release", "rolltape.node"),
    join(root, "prebuilds", `${process.platform}-${process.arch}`, "rolltape.node"),
  ];
}

function load(): NativeAddon {
  const paths = candidates();
  const path = paths.find((candidate) => existsSync(candidate));
  if (path === undefined) {
    throw new Error(
      `The native addon is not built: there is none of ${paths.join(", ")}. ` +
        "Run `npm rebuild` (or `npx cmake-js compile`) in the package's folder; it needs cmake and a C++20 compiler.",
    );
  }
  return createRequire(import.meta.url)(path) as NativeAddon;
}

/** The native addon. Nothing else loads it. */
export const native: NativeAddon = load();
