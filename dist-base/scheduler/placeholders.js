import { distance } from "fastest-levenshtein";
import { findNearestName, isAbbreviation } from "../support/nearest-name.js";
const NAMES = ["folder", "index", "node", "port", "engine_urls", "proxy_url", "gateway_url"];
const PLACEHOLDER = /\{([a-z_]+)\}/g;
/** Replaces known placeholders with their values. Other braces, such as those of JSON, stay. */
export function fillIn(text, values) {
    return text.replace(PLACEHOLDER, (whole, name) => values[name] ?? whole);
}
/** Applies {@link fillIn} to every value of an environment. */
export function fillEnvironment(env, values) {
    return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fillIn(value, values)]));
}
/**
 * Returns the first unknown placeholder of a text that is similar to a known one. Passed on as text, a misspelled
 * placeholder would cause an error that is hard to trace. Placeholders of a shell (`${name}`) or a template
 * (`{{name}}`) are ignored.
 */
export function findMisspelled(text) {
    for (const [, name = ""] of text.matchAll(/(?<![${])\{([A-Za-z_]+)\}(?!\})/g)) {
        if (NAMES.some((known) => known === name))
            continue;
        const lower = name.toLowerCase();
        const nearest = findNearestName(lower, NAMES);
        if (isAbbreviation(lower, nearest) || isTypo(lower, nearest))
            return { name, nearest };
    }
    return undefined;
}
/** Short names are excluded, because too many words differ from them by two letters. */
function isTypo(name, known) {
    return known.length > 4 && distance(name, known) <= 2;
}
//# sourceMappingURL=placeholders.js.map