import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The command that runs a program of this folder with Node; from the sources too, as tests do. */
export function nodeProgram(name: "batch-main" | "step/step-main"): [string, ...string[]] {
  const isSource = import.meta.url.endsWith(".ts");
  const file = fileURLToPath(new URL(`./${name}.${isSource ? "ts" : "js"}`, import.meta.url));
  return [process.execPath, ...(isSource ? ["--import", sourceLoader()] : []), file];
}

/** By its whole address: a program may start in any folder. */
function sourceLoader(): string {
  return pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
}
