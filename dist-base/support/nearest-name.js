import { closest, distance } from "fastest-levenshtein";
/**
 * Returns the known name that is most similar to an unknown one: a name that it abbreviates or extends, else the one at
 * the smallest edit distance.
 *
 * @param known at least one name, in lower case
 */
export function findNearestName(unknown, known) {
    const name = unknown.toLowerCase();
    return known.find((candidate) => isAbbreviation(name, candidate)) ?? closest(name, known);
}
/**
 * Returns the known name that an unknown one is probably a misspelling of; undefined if none is similar. Names are similar if one
 * abbreviates the other, or if at most half of the longer one has to be edited.
 *
 * @param known at least one name
 */
export function findSimilarName(unknown, known) {
    const nearest = findNearestName(unknown, known);
    const [name, other] = [unknown.toLowerCase(), nearest.toLowerCase()];
    if (isAbbreviation(name, other))
        return nearest;
    return distance(name, other) * 2 <= Math.max(name.length, other.length) ? nearest : undefined;
}
/**
 * Returns true if one name begins with the other, such as `wait_seconds` and `wait`. A `name` under three letters never
 * matches.
 */
export function isAbbreviation(name, known) {
    return name.length > 2 && (known.startsWith(name) || name.startsWith(known));
}
//# sourceMappingURL=nearest-name.js.map