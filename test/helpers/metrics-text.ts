import { spawnSync } from "node:child_process";

/** A metric as Prometheus' text format describes it. */
export interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  /** Names of all labels of its samples, except a histogram's `le`. */
  readonly labels: ReadonlySet<string>;
}

/** Reads the metrics of a scrape, in order. */
export function readFamilies(text: string): Family[] {
  const families: (Family & { readonly labels: Set<string> })[] = [];
  let help = "";
  for (const line of text.split("\n")) {
    const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === "HELP") help = rest;
    else if (kind === "TYPE") families.push({ name, type: rest, help, labels: new Set() });
    else {
      const labels = /^\w+\{(.*)\} /.exec(line)?.[1] ?? "";
      for (const [, label = ""] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) {
        if (label !== "le") families.at(-1)?.labels.add(label);
      }
    }
  }
  return families;
}

/** Returns the sample with this name and these labels, written as in the scrape; undefined if there is none. */
export function readSample(text: string, series: string): number | undefined {
  const line = text.split("\n").find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

export const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

/** Returns the problems that `promtool check metrics` finds, one per line. */
export function lintMetrics(text: string): string[] {
  const { stdout, stderr, status } = spawnSync("promtool", ["check", "metrics"], { input: text, encoding: "utf8" });
  const problems = `${stdout}${stderr}`.split("\n").filter((line) => line !== "");
  return status === 0 || problems.length > 0 ? problems : [`promtool ended with status ${status}`];
}

/** Returns violations of Prometheus' naming rules, and labels whose values cannot be added. */
export function namingProblems(families: readonly Family[]): string[] {
  const names = families.map(({ name }) => name);
  return families.flatMap(({ name, type, help, labels }, index) => {
    const problems: [boolean, string][] = [
      [help === "", "has no description"],
      [!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name), "is not in lower case words"],
      [name.endsWith("_total") !== (type === "counter"), `is a ${type}: counters, and they alone, end with _total`],
      [/_(count|sum|bucket)$/.test(name), "ends like a sample of a histogram"],
      [/_(ms|milliseconds|minutes|kb|mb|percent)(_|$)/.test(name), "is not in a base unit"],
      [names.indexOf(name) !== index, "is described twice"],
      // OpenMetrics names a counter without its suffix.
      [names.includes(`${name}_total`), "has the name of a counter without its suffix"],
      // Quantiles of several processes cannot be combined, and limits and parts must not be added.
      [labels.has("quantile") || labels.has("bound"), "has a label whose values cannot be added"],
    ];
    return problems.filter(([broken]) => broken).map(([, problem]) => `${name} ${problem}`);
  });
}
