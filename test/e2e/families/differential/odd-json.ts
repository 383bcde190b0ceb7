import type { Random } from "./random.js";

/** JSON as a template writes it: Python's `json.dumps(value, ensure_ascii=False)`. Only values that JavaScript spells alike. */
export function plainJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(plainJson).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}: ${plainJson(item)}`)
    .join(", ")}}`;
}

/** The same JSON as no serializer writes it: other white space, escaped characters and spellings of numbers. */
export function oddJson(value: unknown, random: Random): string {
  const gap = (): string => random.pick(["", "", " ", "  ", "\n", "\n  "]);
  if (Array.isArray(value))
    return `[${gap()}${value.map((item) => oddJson(item, random)).join(`${gap()},${gap()}`)}${gap()}]`;
  if (typeof value === "string") return oddString(value, random);
  if (typeof value === "number") return oddNumber(value, random);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([key, item]) => `${oddString(key, random)}${gap()}:${gap()}${oddJson(item, random)}`,
  );
  return `{${gap()}${entries.join(`${gap()},${gap()}`)}${gap()}}`;
}

function oddString(text: string, random: Random): string {
  const units = Array.from({ length: text.length }, (_, i) => text.charAt(i));
  const isEscaped = random.below(3) === 0;
  return isEscaped
    ? `"${units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"`
    : JSON.stringify(text);
}

const oddNumber = (value: number, random: Random): string =>
  Number.isInteger(value) ? String(value) : random.pick([String(value), `${value}0`, `${value}e0`, `${value}E+00`]);
