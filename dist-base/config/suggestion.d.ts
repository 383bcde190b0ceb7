/**
 * Returns the known key to suggest for an unknown one: its new name if it was renamed, else the most similar key. Similarity
 * compares the last names first, then the whole paths.
 */
export declare function findNearestKey(unknown: string): string;
