/** The tag of a server, which is part of its session keys and session ids: 1 to 32 characters of a-z and 0-9. */
export declare const WORKER_TAG: RegExp;
/**
 * Creates a random tag. With a new tag at every start, a server never mistakes keys or ids of an earlier run for its
 * own.
 */
export declare function newWorkerTag(): string;
/** Returns the tag in a session key `sk-<tag>.…`. Keys without a tag contain no dot. */
export declare function readKeyTag(key: string): string | undefined;
/** Returns the tag in a session id `<task_id>-<tag>-<n>`. */
export declare function readSessionTag(id: string): string | undefined;
/** Maximum length of the id of a batch. It is a parameter of a path, and the router limits these. */
export declare const MAX_BATCH_ID = 512;
/**
 * Creates the id of a batch: `batch-<random>.<tag>.<tag>…`. A gateway acknowledges the batch on the workers with these tags. If the
 * id would exceed {@link MAX_BATCH_ID}, it has no tags.
 */
export declare function newBatchId(tags: readonly string[]): string;
/** Returns the tags of the workers that have a part of the batch, each once; undefined if its id has no tags. */
export declare function readBatchTags(id: string): readonly string[] | undefined;
