import { inertText } from "../inert-text.js";

/** Limit of different lines that are counted. Lines beyond it are all shown. */
const MAX_KNOWN = 1000;
const LEVELS: ReadonlyMap<number, string> = new Map([
  [10, "trace"],
  [20, "debug"],
  [30, "info"],
  [40, "warning"],
  [50, "error"],
  [60, "fatal"],
]);
/** Fields that every line has, or that are shown in another way. */
const HIDDEN = new Set(["level", "time", "pid", "hostname", "msg", "err"]);

/** Turns log lines into text for people. Repeated lines are shown once and counted. */
export class LogLines {
  readonly #counts = new Map<string, number>();

  /** Returns a JSON log line as text, or undefined if the same text was shown before. Other lines are returned unchanged. */
  add(line: string): string | undefined {
    const fields = parseFields(line);
    if (!fields) return line;
    const text = describeLine(fields);
    const count = this.#counts.get(text) ?? 0;
    if (count > 0 || this.#counts.size < MAX_KNOWN) this.#counts.set(text, count + 1);
    return count > 0 ? undefined : text + describeOtherFields(fields);
  }

  /** Returns each line that came more than once, with its count. */
  repeated(): string[] {
    return [...this.#counts].filter(([, count]) => count > 1).map(([text, count]) => `${count} × ${text}`);
  }
}

type Fields = Readonly<Record<string, unknown>>;

function parseFields(line: string): Fields | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const fields = JSON.parse(line) as Fields;
    return typeof fields["level"] === "number" ? fields : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns level, message and cause. Lines with the same text are counted together. Other fields, such as the session, are not
 * part of it, because they differ in every line.
 */
function describeLine({ level, msg, err }: Fields): string {
  const name = LEVELS.get(Number(level)) ?? "log";
  const [message, cause] = [typeof msg === "string" ? msg : "", messageOf(err)];
  const why = cause === "" || message.includes(cause) ? "" : `: ${cause}`;
  return inertText(`${name}: ${message}${why}`);
}

function messageOf(error: unknown): string {
  const { message } = (error ?? {}) as { readonly message?: unknown };
  return typeof message === "string" ? message : "";
}

function describeOtherFields(fields: Fields): string {
  const shown = Object.entries(fields).flatMap(([name, value]) =>
    HIDDEN.has(name) || typeof value === "object"
      ? []
      : [`${name}=${typeof value === "string" ? value : JSON.stringify(value)}`],
  );
  return shown.length === 0 ? "" : inertText(` (${shown.join(", ")})`);
}
