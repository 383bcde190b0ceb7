export { compactStorage } from "./compact-storage.js";
export { EntryBlocks } from "./entry-block.js";
export { damagedFolderError, StorageError, unusableFolderError } from "./errors.js";
export { openForReading } from "./live-storage.js";
export { OfflineStorage } from "./offline-storage.js";
export { Storage } from "./storage.js";
//# sourceMappingURL=index.js.map