/** The LMDB file of a folder. */
export const DATA_FILE = "data.mdb";
/** A copy of it, until a compaction replaces it with the copy. */
export const COPY_FILE = `${DATA_FILE}.compact`;
/** Lists the processes that read the file. */
export const LMDB_LOCK_FILE = `${DATA_FILE}-lock`;
/** Segments of the write-ahead log, which exist while a server runs and after a crash. A segment with an even epoch is in the first one. */
export const LOG_FILES = ["data.log-0", "data.log-1"];
/** Ends the name of the file that says whether a commit of a file is in progress. */
export const COMMIT_STATE_SUFFIX = ".commit-state";
/** Ends the name of the file that marks a file whose sync failed. */
export const FAILED_SYNC_SUFFIX = ".failed-sync";
//# sourceMappingURL=file-names.js.map