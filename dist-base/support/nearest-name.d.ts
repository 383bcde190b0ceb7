/**
 * Returns the known name that is most similar to an unknown one: a name that it abbreviates or extends, else the one at
 * the smallest edit distance.
 *
 * @param known at least one name, in lower case
 */
export declare function findNearestName(unknown: string, known: readonly string[]): string;
/**
 * Returns the known name that an unknown one is probably a misspelling of; undefined if none is similar. Names are similar if one
 * abbreviates the other, or if at most half of the longer one has to be edited.
 *
 * @param known at least one name
 */
export declare function findSimilarName(unknown: string, known: readonly string[]): string | undefined;
/**
 * Returns true if one name begins with the other, such as `wait_seconds` and `wait`. A `name` under three letters never
 * matches.
 */
export declare function isAbbreviation(name: string, known: string): boolean;
