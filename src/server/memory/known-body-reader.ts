import type { FastifyRequest } from "fastify";
import type { CheckBody, ParseBody } from "../../http/json-body.js";
import { native } from "../../native/addon.js";
import type { TakenImages } from "../../protocols/image-reader.js";
import { eventLoop, LONG_TEXT } from "../../support/async/event-loop.js";
import { HUGE_TEXT, runBySize } from "../../support/async/run-steps.js";
import { type BodyImages, countStandIns } from "./body-images.js";
import { cutShared, findShared, isContinuation, type KnownBody, restoreShared, toKnown } from "./known-body.js";
import type { MemorySlot } from "./memory-slot.js";

declare module "fastify" {
  interface FastifyRequest {
    /** The images that were taken out of the body before it was parsed. */
    takenImages: TakenImages | undefined;
  }
}

export interface KnownBodyOptions {
  /** Returns false for bodies of calls to upstreams, which would displace those of the policy's calls. */
  readonly isKept?: (value: unknown) => boolean;
  /** Takes the images out of bodies. Absent if prompts have no images. */
  readonly images?: BodyImages | undefined;
}

/**
 * Returns a reader of large bodies. It parses only the part that the session's recent bodies do not have, and at most one
 * long text per round of the event loop.
 */
export function createKnownBodyReader(
  known: MemorySlot<KnownBody>,
  { isKept = () => true, images }: KnownBodyOptions = {},
) {
  const readKnown = (request: FastifyRequest, json: Buffer, parse: ParseBody): Promise<unknown> => {
    const { session } = request;
    const recent = session ? known.forSession(session) : undefined;
    const shared = recent && findShared(json, recent.items);
    const newPart = shared ? cutShared(json, shared) : json;
    const read = async (): Promise<unknown> => {
      const restored = shared && restoreShared(await parse(newPart), shared);
      const value = restored ?? (await parse(json));
      const { length } = restored ? newPart : json;
      if (length >= HUGE_TEXT) await eventLoop.yield();
      const body = recent && isKept(value) && (await runBySize(toKnown(json, value, restored && shared), length));
      if (body) recent.add(body, shared && isContinuation(shared) ? shared.body : undefined);
      return value;
    };
    // The next checks take about as long as parsing, so other work may run before them.
    return newPart.length < LONG_TEXT ? read() : eventLoop.alone(read);
  };

  return async (request: FastifyRequest, json: Buffer, check: CheckBody): Promise<unknown> => {
    const { session } = request;
    const taken = session && images && (await runBySize(images.take(json, session), json.length));
    const checked = taken?.json ?? json;
    // A stand-in is one string, like the data that it replaces. So a body that is parsed as it was sent needs no second check.
    const parse = await check(checked);
    const value = await readKnown(request, checked, parse);
    if (!taken) return value;
    // A stand-in elsewhere, such as in an argument of a tool, would become text of the prompt. Parse the body as it was sent.
    if (countStandIns(value) !== taken.count) return parse(json);
    request.takenImages = taken.images;
    request.parsedBytes = checked.length;
    // Nothing else needs the bytes, unless they are kept for an upstream.
    if (request.bodyJson === null) native.freeBytes(json);
    return value;
  };
}
