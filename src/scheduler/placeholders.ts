const PLACEHOLDER = /\{([a-z_]+)\}/g;

/** Fills in what is known; other braces (of JSON, say) stay. */
export function fillIn(text: string, values: Readonly<Record<string, string | undefined>>): string {
  return text.replace(PLACEHOLDER, (whole, name: string) => values[name] ?? whole);
}
