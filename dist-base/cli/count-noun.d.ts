/** Returns a number with its noun, for example `1 session` or `3 sessions`. */
export declare function countNoun(count: number, singular: string, plural?: string): string;
