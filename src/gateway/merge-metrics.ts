/** The metrics of one process. */
export interface Scrape {
  /** The worker's tag; absent for the gateway itself, whose samples get no label. */
  readonly tag?: string;
  /** The metrics in Prometheus' text format. */
  readonly text: string;
}

interface Family {
  readonly head: readonly string[];
  readonly samples: string[];
}

const SAMPLE = /^([A-Za-z_:][A-Za-z0-9_:]*)(?:\{([^}].*)?\})? (.+)$/;

/** Merges scrapes into one text. Each metric is described once, and its samples have the worker as a label. */
export function mergeMetrics(scrapes: readonly Scrape[]): string {
  const families = new Map<string, Family>();
  for (const { tag, text } of scrapes) addScrape(families, tag, text);
  return [...families.values()].map(({ head, samples }) => `${[...head, ...samples].join("\n")}\n`).join("\n");
}

function addScrape(families: Map<string, Family>, tag: string | undefined, text: string): void {
  let head: string[] = [];
  let family: Family | undefined;
  for (const line of text.split("\n")) {
    if (line.startsWith("# HELP ")) {
      head = [line];
      family = undefined;
    } else if (line.startsWith("# TYPE ")) {
      const name = line.split(" ")[2] ?? "";
      family = families.get(name) ?? { head: [...head, line], samples: [] };
      families.set(name, family);
    } else {
      const sample = SAMPLE.exec(line);
      if (sample && family) family.samples.push(tag === undefined ? line : addWorkerLabel(sample, tag));
    }
  }
}

function addWorkerLabel([, name, labels, rest]: RegExpExecArray, tag: string): string {
  return `${name}{worker="${tag}"${labels === undefined ? "" : `,${labels}`}} ${rest}`;
}
