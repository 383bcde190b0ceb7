import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readRepositoryFile } from "./repository.js";

// test/server/metrics.test.ts compares metrics.md with the metrics of running servers.
const rows = readRepositoryFile("docs/reference/metrics.md").matchAll(/^\| `(rolltape_\w+)` \| (\w+) \| (.*?) \|/gm);
const metrics = new Map(
  [...rows].map(
    ([, name = "", type, labels = ""]) =>
      [name, { type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = ""]) => label) }] as const,
  ),
);

const dashboard = JSON.parse(readRepositoryFile("ops/monitoring/grafana-dashboard.json")) as {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
};
const alerts = parse(readRepositoryFile("ops/monitoring/prometheus-alerts.yaml")) as {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
};
const queries = [
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ name: title, expr }))),
  ...alerts.groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => ({ name: alert, expr }))),
];

/** Returns what an expression names that no server has: series, and labels in selectors. */
function findUnknown(expr: string): string[] {
  return [...expr.matchAll(/(rolltape_\w+)(?:\{(\w+)=)?/g)].flatMap(([, series = "", label]) => {
    const base = metrics.has(series) ? series : series.replace(/_(bucket|sum|count)$/, "");
    const metric = metrics.get(base);
    if (!metric || (base !== series) !== (metric.type === "histogram")) return [series];
    return label === undefined || metric.labels.includes(label) ? [] : [`${series}{${label}}`];
  });
}

describe("ops", () => {
  it.each(queries)("$name queries metrics and labels that servers have", ({ expr }) => {
    expect(expr).toMatch(/\b(rolltape|node_filesystem)_/);
    expect(findUnknown(expr)).toEqual([]);
  });

  it("notices metrics and labels that no server has", () => {
    expect(findUnknown("rate(rolltape_call_total[5m])")).toEqual(["rolltape_call_total"]);
    expect(findUnknown('rolltape_sessions{status="active"}')).toEqual(["rolltape_sessions{status}"]);
    expect(findUnknown("rolltape_engine_seconds")).toEqual(["rolltape_engine_seconds"]);
  });
});
