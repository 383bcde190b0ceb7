/** The LMDB file of a folder. */
export const DATA_FILE = "data.mdb";
/** A copy of it, until a compaction replaces it with the copy. */
export const COPY_FILE = `${DATA_FILE}.compact`;
/** Lists the processes that read the file. */
export const LMDB_LOCK_FILE = `${DATA_FILE}-lock`;
/** Ends the name of the file that marks a file whose sync failed. */
export const FAILED_SYNC_SUFFIX = ".failed-sync";
