export type { Change, Entry, Table } from "./changes.js";
export { type Compaction, type CompactOptions, compactStorage } from "./compact-storage.js";
export { EntryBlocks } from "./entry-block.js";
export { damagedFolderError, damagedLogError, StorageError, unusableFolderError } from "./errors.js";
export { openForReading, type StorageReader } from "./live-storage.js";
export type { LogSize } from "./log/read-log.js";
export { type Damage, type OfflineLog, OfflineStorage, type ReportDamage } from "./offline-storage.js";
export { type Durability, Storage, type StorageOptions } from "./storage.js";
export type { StorageSize } from "./storage-size.js";
