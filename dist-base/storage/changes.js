/** Tables of the storage file. A change names its table by position, so the order must not change. */
export const TABLES = ["meta", "sessions", "records", "leases", "log"];
//# sourceMappingURL=changes.js.map