/** Stores nothing: the job ends with its process. */
export const NO_RECORDS = {
    saveLease: () => undefined,
    removeLease: () => undefined,
    saveLosses: () => undefined,
    saveReport: () => undefined,
    removeReport: () => undefined,
    saveUnwanted: () => undefined,
    removeUnwanted: () => undefined,
    saveLost: () => undefined,
    removeLost: () => undefined,
    flushed: () => Promise.resolve(),
};
export const NOTHING_RESTORED = {
    leases: [],
    losses: new Map(),
    done: new Map(),
    unwanted: [],
    lost: [],
};
//# sourceMappingURL=lease-records.js.map