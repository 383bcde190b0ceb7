/**
 * Returns the class of what was thrown. Errors of many SDKs leave `name` as it is, so that only their constructor tells.
 */
export function className(error: unknown): string {
  if (!(error instanceof Error)) return "Error";
  const { name, constructor } = error as { readonly name: unknown; readonly constructor?: { readonly name?: unknown } };
  if (typeof name === "string" && name !== "" && name !== "Error") return name;
  const type = constructor?.name;
  return typeof type === "string" && type !== "" ? type : "Error";
}

/** Returns what was thrown as `class: message`; the class is left out if it is plain `Error`. */
export function describeThrown(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const name = className(error);
  return name === "Error" ? message : `${name}: ${message}`;
}
