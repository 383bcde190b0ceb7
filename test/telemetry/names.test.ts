import { expect, it } from "vitest";
import { readAttributeNames } from "../../src/telemetry/names.js";
import { readPage, tableRows } from "../helpers/page.js";

const OPT_IN = "OTEL_SEMCONV_STABILITY_OPT_IN";
const before = readAttributeNames({});
const latest = readAttributeNames({ [OPT_IN]: "http/dup, gen_ai_latest_experimental" });

it("uses the names of the conventions before 1.37 unless the environment opts in to the latest", () => {
  expect(before).toMatchObject({ provider: "gen_ai.system", cachedTokens: null, isStreamed: null });
  expect(readAttributeNames({ [OPT_IN]: "http" })).toEqual(before);
  expect(latest).toMatchObject({
    provider: "gen_ai.provider.name",
    cachedTokens: "gen_ai.usage.cache_read.input_tokens",
    isStreamed: "gen_ai.request.stream",
  });
  expect(Object.keys(latest).filter((key) => latest[key as "api"] !== before[key as "api"])).toHaveLength(3);
});

it("has a row for each attribute in the guide", () => {
  const names = [...Object.values(before), ...Object.values(latest)].filter((name) => name !== null);
  const rows = tableRows(readPage("guides/operations.md"), "| attribute | latest name | value |");
  const cells = rows.flatMap((row) => row.split("|").slice(1, 3));
  const documented = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  expect(documented).toHaveLength(new Set(names).size);
  expect(new Set(documented)).toEqual(new Set(names));
});
