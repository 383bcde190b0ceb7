import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Lets this process import an agent that is TypeScript, with the tsx that its project has. Answers the arguments with
 * which worker processes do the same. Nothing is done where Node reads TypeScript itself or no tsx is found: the import
 * then says what is missing.
 */
export async function loadTypeScript(specifier: string): Promise<string[]> {
  const [module = ""] = specifier.split("#");
  if (!/\.[cm]?tsx?$/.test(module) || readsTypeScript()) return [];
  const loader = findTsx(resolve(module)) ?? findTsx(resolve("package.json"));
  if (loader === undefined) return [];
  await import(loader);
  return ["--import", loader];
}

function readsTypeScript(): boolean {
  const { typescript } = process.features as { readonly typescript?: unknown };
  const given = [...process.execArgv, process.env["NODE_OPTIONS"] ?? ""].join(" ");
  return Boolean(typescript) || /\btsx\b/.test(given);
}

/** URL of the tsx that a file of this path would import. */
function findTsx(from: string): string | undefined {
  try {
    return pathToFileURL(createRequire(from).resolve("tsx")).href;
  } catch {
    return undefined;
  }
}
