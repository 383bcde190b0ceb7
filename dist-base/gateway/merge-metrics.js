const SAMPLE = /^([A-Za-z_:][A-Za-z0-9_:]*)(?:\{([^}].*)?\})? (.+)$/;
/** Merges scrapes into one text. Each metric is described once, and its samples have the worker as a label. */
export function mergeMetrics(scrapes) {
    const families = new Map();
    for (const { tag, text } of scrapes)
        addScrape(families, tag, text);
    return [...families.values()].map(({ head, samples }) => `${[...head, ...samples].join("\n")}\n`).join("\n");
}
function addScrape(families, tag, text) {
    let head = [];
    let family;
    for (const line of text.split("\n")) {
        if (line.startsWith("# HELP ")) {
            head = [line];
            family = undefined;
        }
        else if (line.startsWith("# TYPE ")) {
            const name = line.split(" ")[2] ?? "";
            family = families.get(name) ?? { head: [...head, line], samples: [] };
            families.set(name, family);
        }
        else {
            const sample = SAMPLE.exec(line);
            if (sample && family)
                family.samples.push(tag === undefined ? line : addWorkerLabel(sample, tag));
        }
    }
}
function addWorkerLabel([, name, labels, rest], tag) {
    return `${name}{worker="${tag}"${labels === undefined ? "" : `,${labels}`}} ${rest}`;
}
//# sourceMappingURL=merge-metrics.js.map