export type { Change, Entry, Table } from "./changes.js";
export { type Compaction, compactStorage } from "./compact-storage.js";
export { EntryBlocks } from "./entry-block.js";
export { StorageError, unusableFolderError } from "./errors.js";
export { openForReading, type StorageReader } from "./live-storage.js";
export { type Damage, OfflineStorage, type ReportDamage } from "./offline-storage.js";
export { type Durability, Storage, type StorageOptions, type StorageSize } from "./storage.js";
