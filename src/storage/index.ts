export type { Change, Entry, Table } from "./changes.js";
export { type Compaction, type CompactOptions, compactStorage } from "./compact-storage.js";
export { type EntryBlock, EntryBlocks } from "./entry-block.js";
export { damagedFolderError, StorageError, unusableFolderError } from "./errors.js";
export { hasStorage } from "./file-names.js";
export type { Recovered } from "./log/open-log.js";
export { DamagedValueError, type StorageSize } from "./log/segment-set.js";
export { type Durability, Storage, type StorageOptions } from "./storage.js";
export { type Damage, type ReportDamage, StorageReader } from "./storage-reader.js";
