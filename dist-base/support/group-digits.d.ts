/**
 * Returns a whole number with a comma between groups of three digits: 1,048,576. `toLocaleString` loads its tables on the first
 * call of a process, which takes tens of milliseconds.
 */
export declare function groupDigits(value: number): string;
