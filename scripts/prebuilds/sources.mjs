import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** What the addon is compiled from, without its tests. */
const SOURCES = ["CMakeLists.txt", "native/binding", "native/core", "native/memory", "native/prebuilt"];

/** The file beside a prebuilt addon that has the digest of its sources. */
export const DIGEST_FILE = "sources.sha256";

/**
 * Returns a digest of the addon's sources. Modification times say nothing about them in a clone.
 *
 * @param {string} root The package's folder.
 */
export function digestSources(root) {
  const digest = createHash("sha256");
  for (const path of SOURCES.flatMap((source) => listFiles(root, source)).sort())
    digest.update(`${path}\0`).update(
      createHash("sha256")
        .update(readFileSync(join(root, path)))
        .digest(),
    );
  return digest.digest("hex");
}

function listFiles(root, source) {
  if (statSync(join(root, source)).isFile()) return [source];
  return readdirSync(join(root, source), { recursive: true })
    .map((name) => `${source}/${name.replaceAll("\\", "/")}`)
    .filter((path) => !path.endsWith(".md") && statSync(join(root, path)).isFile());
}

/**
 * Returns the prebuilt addons that were compiled from other sources than those of the package.
 *
 * @param {string} root The package's folder.
 */
export function findStalePrebuilds(root) {
  const folder = join(root, "prebuilds");
  if (!existsSync(folder)) return [];
  const current = digestSources(root);
  return readdirSync(folder).filter((target) => {
    const file = join(folder, target, DIGEST_FILE);
    return !existsSync(file) || readFileSync(file, "utf8").trim() !== current;
  });
}
