/**
 * Returns a whole number with a comma between groups of three digits: 1,048,576. `toLocaleString` loads its tables on the first
 * call of a process, which takes tens of milliseconds.
 */
export function groupDigits(value) {
    return String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
//# sourceMappingURL=group-digits.js.map