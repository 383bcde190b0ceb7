/** Parses a JSON object. Returns an empty object for any other text. */
export function jsonObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return Object(value);
  } catch {
    return {};
  }
}

export function positiveInteger(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined;
}

/** Reads a weight version, which engines send as text; undefined for a label that is not a number. */
export function versionNumber(value: unknown): number | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && /^-?\d+$/.test(text) ? Number(text) : undefined;
}
