/**
 * Returns the known key that is most similar to an unknown key.
 *
 * @param path place in the job's description that has the unknown key
 */
export declare function findNearestJobKey(path: readonly PropertyKey[], unknown: string): string;
