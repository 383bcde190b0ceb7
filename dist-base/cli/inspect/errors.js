/** The row that a user asks for does not exist. */
export class BatchRowError extends Error {
    name = "BatchRowError";
    constructor(row, count) {
        const range = count === 0 ? "the file lists no rows" : `rows are numbered from 0 to ${count - 1}`;
        super(`--text ${row}: ${range}`);
    }
}
//# sourceMappingURL=errors.js.map