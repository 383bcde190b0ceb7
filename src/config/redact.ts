import { findKey } from "./key.js";
import type { Config } from "./schema/sections.js";
import { isPlainMap, mapLeaves } from "./tree.js";

const HIDDEN = "[redacted]";

/** Returns a copy of the configuration without keys and without passwords in URLs, so that it can be shown. */
export function redact(config: Config): Record<string, unknown> {
  return mapLeaves(config, hideLeaf) as Record<string, unknown>;
}

function hideLeaf(value: unknown, path: string): unknown {
  if (findKey(path)?.isSecret) return hideSecret(value);
  return Array.isArray(value) ? value.map(hidePassword) : value;
}

/** Hides a key. In a list of maps, hides only the keys of the maps. */
function hideSecret(value: unknown): unknown {
  if (value === null) return null;
  if (!Array.isArray(value)) return HIDDEN;
  return value.map((entry: unknown) => {
    if (!isPlainMap(entry)) return HIDDEN;
    return mapLeaves(entry, (leaf, name) => (name.endsWith("api_key") && leaf !== null ? HIDDEN : hidePassword(leaf)));
  });
}

function hidePassword(value: unknown): unknown {
  if (typeof value !== "string" || !URL.canParse(value)) return value;
  const url = new URL(value);
  if (url.username === "" && url.password === "") return value;
  url.username = "redacted";
  url.password = "";
  return url.href;
}
