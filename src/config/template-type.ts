import { readOverrides } from "./overrides.js";
import { type ConfigSources, readFile } from "./resolve-config.js";
import { normalizeSpelling } from "./spelling.js";
import { isPlainMap, readOwn } from "./tree.js";

/** Programs that start a server for a user. Its `rollout.agent.chat_template_type` is `concat` if nothing else is configured. */
export const STARTERS = ["rollout", "python", "library"] as const;
export type Starter = (typeof STARTERS)[number];

export const TEMPLATE_TYPE = "rollout.agent.chat_template_type";

/** Where a configured value came from. */
export type ValueSource = "file" | "argument";

/**
 * Returns a function that says where the value of a key came from; undefined if it is the default.
 *
 * @param sources must be valid: see `resolveConfig`
 */
export function readSources({ file, overrides = [] }: ConfigSources): (path: string) => ValueSource | undefined {
  const inArguments = normalizeSpelling(readOverrides(overrides).value).value;
  const inFile = file === undefined ? {} : normalizeSpelling(readFile(file)).value;
  return (path) => (isWritten(path, inArguments) ? "argument" : isWritten(path, inFile) ? "file" : undefined);
}

/** Returns the starter if it chooses the value of {@link TEMPLATE_TYPE}: nothing else is configured. */
export function findChooser(startedBy: Starter | undefined, sources: ConfigSources): Starter | undefined {
  return readSources(sources)(TEMPLATE_TYPE) === undefined ? startedBy : undefined;
}

function isWritten(path: string, written: unknown): boolean {
  let at = written;
  for (const key of path.split(".")) at = isPlainMap(at) ? readOwn(at, key) : undefined;
  return at !== undefined;
}
