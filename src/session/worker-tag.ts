import { randomInt } from "node:crypto";

const TAG_LENGTH = 8;
const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

/** The name of one of several servers, as session keys and session ids carry it: 1 to 32 of a-z and 0-9. */
export const WORKER_TAG = /^[a-z0-9]{1,32}$/;

const OF_KEY = /^sk-([a-z0-9]{1,32})\.[\x21-\x7e]{16,}$/;
const OF_SESSION_ID = /-([a-z0-9]{1,32})-\d{1,16}$/;

/** A fresh tag. A server that starts again with another tag never takes a key or an id of its past for its own. */
export function newWorkerTag(): string {
  return Array.from({ length: TAG_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
}

/** The tag in a session key `sk-<tag>.…`. Random keys have no dot in them otherwise. */
export function workerOfKey(key: string): string | undefined {
  return OF_KEY.exec(key)?.[1];
}

/** The tag in a session id `<task_id>-<tag>-<n>`. */
export function workerOfSession(id: string): string | undefined {
  return OF_SESSION_ID.exec(id)?.[1];
}
