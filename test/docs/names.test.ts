import { describe, expect, it } from "vitest";
import { configKeys, configSections } from "../../src/config/key.js";
import { PAGES, readRepositoryFile } from "./repository.js";

const KEY = /(?<![\w/.-])(?:server|engine|model|rollout|gateway|scheduler)\.[a-z_]+(?:\.[a-z_]+)*(?![\w(/])/g;
const METRIC = /\brolltape_[a-z_]+[a-z]\b/g;
/** Suffixes of the metrics that Prometheus derives from a histogram. */
const SERIES = /_(?:bucket|sum|count)$/;
/** Members of objects of the library and of Transformers, and file names, which look like keys. */
const NOT_KEYS =
  /^engine\.(?:servers|supports)\b|^model\.config\.|\.(?:ts|js|py|md|gguf|yaml|safetensors|index\.json)$/;

function namesIn(path: string, pattern: RegExp): string[] {
  return [...new Set([...readRepositoryFile(path).matchAll(pattern)].map(([name]) => name))];
}

/** The other spelling of `rollout.agent`. */
const ALIAS = "rollout.compat";
const known = new Set([...configKeys.map(({ path }) => path), ...configSections, ALIAS]);
const metrics = new Set(namesIn("docs/reference/metrics.md", METRIC));

describe("the pages", () => {
  it.each(["README.md", "SECURITY.md", ...PAGES])("%s names only configuration keys and metrics that exist", (path) => {
    const keys = namesIn(path, KEY).filter((key) => !NOT_KEYS.test(key) && !known.has(key));
    const series = namesIn(path, METRIC).filter((name) => !metrics.has(name) && !metrics.has(name.replace(SERIES, "")));
    expect({ keys, series }).toEqual({ keys: [], series: [] });
  });
});
