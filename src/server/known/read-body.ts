import type { FastifyRequest } from "fastify";
import type { ParseBody } from "../../http/json-body.js";
import { LONG_TEXT, turns } from "../../support/async/turns.js";
import { goesOn, type KnownBody, sharedWith, toKnown, withoutShared, withShared } from "./known-body.js";
import type { Recent } from "./recent.js";

/**
 * Returns a reader of large bodies. It parses only what the session's recent bodies do not have, and one long text per round
 * of the event loop.
 */
export function readKnownBodies(known: Recent<KnownBody>) {
  return async (request: FastifyRequest, json: Buffer, parse: ParseBody): Promise<unknown> => {
    const { session } = request;
    const recent = session ? known.of(session) : undefined;
    const shared = recent && sharedWith(json, recent.items);
    const short = shared ? withoutShared(json, shared) : json;
    if (short.length >= LONG_TEXT) await turns.next();
    const whole = shared && withShared(parse(short), shared);
    const value = whole ?? parse(json);
    const read = recent && toKnown(json, value, whole && shared);
    if (read) recent.add(read, shared && goesOn(shared) ? shared.body : undefined);
    return value;
  };
}
