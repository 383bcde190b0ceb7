/** The LMDB file of a folder. */
export declare const DATA_FILE = "data.mdb";
/** A copy of it, until a compaction replaces it with the copy. */
export declare const COPY_FILE = "data.mdb.compact";
/** Lists the processes that read the file. */
export declare const LMDB_LOCK_FILE = "data.mdb-lock";
/** Segments of the write-ahead log, which exist while a server runs and after a crash. A segment with an even epoch is in the first one. */
export declare const LOG_FILES: readonly ["data.log-0", "data.log-1"];
/** Ends the name of the file that says whether a commit of a file is in progress. */
export declare const COMMIT_STATE_SUFFIX = ".commit-state";
/** Ends the name of the file that marks a file whose sync failed. */
export declare const FAILED_SYNC_SUFFIX = ".failed-sync";
