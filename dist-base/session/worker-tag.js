import { randomInt, randomUUID } from "node:crypto";
const TAG_LENGTH = 8;
const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
/** The tag of a server, which is part of its session keys and session ids: 1 to 32 characters of a-z and 0-9. */
export const WORKER_TAG = /^[a-z0-9]{1,32}$/;
const TAGGED_KEY = /^sk-([a-z0-9]{1,32})\.[\x21-\x7e]{16,}$/;
const TAGGED_SESSION_ID = /-([a-z0-9]{1,32})-\d{1,16}$/;
/**
 * Creates a random tag. With a new tag at every start, a server never mistakes keys or ids of an earlier run for its
 * own.
 */
export function newWorkerTag() {
    return Array.from({ length: TAG_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
}
/** Returns the tag in a session key `sk-<tag>.…`. Keys without a tag contain no dot. */
export function readKeyTag(key) {
    return TAGGED_KEY.exec(key)?.[1];
}
/** Returns the tag in a session id `<task_id>-<tag>-<n>`. */
export function readSessionTag(id) {
    return TAGGED_SESSION_ID.exec(id)?.[1];
}
const TAGGED_BATCH_ID = /^batch-[0-9a-f-]{36}((?:\.[a-z0-9]{1,32})+)$/;
/** Maximum length of the id of a batch. It is a parameter of a path, and the router limits these. */
export const MAX_BATCH_ID = 512;
/**
 * Creates the id of a batch: `batch-<random>.<tag>.<tag>…`. A gateway acknowledges the batch on the workers with these tags. If the
 * id would exceed {@link MAX_BATCH_ID}, it has no tags.
 */
export function newBatchId(tags) {
    const id = `batch-${randomUUID()}`;
    const tagged = [id, ...tags].join(".");
    return tagged.length <= MAX_BATCH_ID ? tagged : id;
}
/** Returns the tags of the workers that have a part of the batch, each once; undefined if its id has no tags. */
export function readBatchTags(id) {
    const tags = TAGGED_BATCH_ID.exec(id)?.[1]?.slice(1).split(".");
    return tags && [...new Set(tags)];
}
//# sourceMappingURL=worker-tag.js.map