/** The LMDB file of a folder. */
export const DATA_FILE = "data.mdb";
/** Lists the processes that read the file. */
export const LMDB_LOCK_FILE = `${DATA_FILE}-lock`;
