import { distance } from "fastest-levenshtein";
import { findNearestName, isAbbreviation } from "../support/nearest-name.js";

const NAMES = ["folder", "index", "node", "port", "engine_urls", "proxy_url", "gateway_url"] as const;

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

/**
 * The first placeholder of a text that is none, but so near to one that it was meant to be: passed on, it would fail far
 * from here. What a shell (`${name}`) or a template (`{{name}}`) reads is not looked at.
 */
export function misspelled(text: string): { readonly name: string; readonly nearest: string } | undefined {
  for (const [, name = ""] of text.matchAll(/(?<![${])\{([A-Za-z_]+)\}(?!\})/g)) {
    if (NAMES.some((known) => known === name)) continue;
    const lower = name.toLowerCase();
    const nearest = findNearestName(lower, NAMES);
    if (isAbbreviation(lower, nearest) || isTypo(lower, nearest)) return { name, nearest };
  }
  return undefined;
}

/** Of names of four letters too many words differ by two. */
function isTypo(name: string, known: string): boolean {
  return known.length > 4 && distance(name, known) <= 2;
}
