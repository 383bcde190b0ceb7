/** Values by the names of their placeholders. */
export type Values = Readonly<Record<string, string | undefined>>;

const PLACEHOLDER = /\{([a-z_]+)\}/g;

/** Fills in what is known; other braces (of JSON, say) stay. */
export function fillIn(text: string, values: Values): string {
  return text.replace(PLACEHOLDER, (whole, name: string) => values[name] ?? whole);
}

/** As {@link fillIn}, of every value of an environment. */
export function fillEnvironment(env: Readonly<Record<string, string>>, values: Values): Record<string, string> {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fillIn(value, values)]));
}
