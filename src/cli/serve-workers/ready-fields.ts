import type { WorkerReadyLine } from "./proxy-worker-process.js";

type NamedReadyLine = WorkerReadyLine & { readonly name: string };

/**
 * Returns the fields of the ready line that describe the workers: those of a single server, which are the same for all, and the
 * workers themselves. Problems and warnings that several workers have are listed once.
 */
export function describeWorkers(lines: readonly NamedReadyLine[]): Record<string, unknown> {
  const [first] = lines;
  const { engine, model, model_path, tool_call_parser, reasoning_parser, ...rest }: Partial<NamedReadyLine> =
    first ?? {};
  const { chat_template_type, chat_template_type_chosen_by } = rest;
  const workers = lines.map(({ name, worker_tag: tag, url, pid }) => ({ name, tag, url, pid }));
  return {
    engine,
    model,
    model_path,
    tool_call_parser,
    reasoning_parser,
    chat_template_type,
    chat_template_type_chosen_by,
    workers,
    ...listOnce("not_ready", lines),
    ...listOnce("warnings", lines),
  };
}

function listOnce(field: "not_ready" | "warnings", lines: readonly NamedReadyLine[]): Record<string, unknown> {
  const all = lines.flatMap((line) => line[field] ?? []);
  const unique = new Map(all.map((each) => [`${each.key} ${each.message}`, each]));
  return unique.size > 0 ? { [field]: [...unique.values()] } : {};
}
