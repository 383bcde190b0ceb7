/**
 * Returns the fields of the ready line that describe the workers: those of a single server, which are the same for all, and the
 * workers themselves. Problems and warnings that several workers have are listed once.
 */
export function describeWorkers(lines) {
    const [first] = lines;
    const { engine, model, model_path, tool_call_parser, reasoning_parser } = first ?? {};
    const workers = lines.map(({ name, worker_tag: tag, url, pid }) => ({ name, tag, url, pid }));
    return {
        engine,
        model,
        model_path,
        tool_call_parser,
        reasoning_parser,
        workers,
        ...listOnce("not_ready", lines),
        ...listOnce("warnings", lines),
    };
}
function listOnce(field, lines) {
    const all = lines.flatMap((line) => line[field] ?? []);
    const unique = new Map(all.map((each) => [`${each.key} ${each.message}`, each]));
    return unique.size > 0 ? { [field]: [...unique.values()] } : {};
}
//# sourceMappingURL=ready-fields.js.map