import type { FastifyReply, FastifyRequest } from "fastify";
import { disconnectSignal, onResponseClose } from "../../http/disconnect.js";
import type { HashedFile, ImageSources, ImageUrls } from "../../protocols/image-reader.js";
import { setUnlimitedListeners } from "../../support/async/abort-switch.js";
import { requireOpen } from "../call/call.js";
import { requireSession } from "../plugins/auth.js";
import type { CallServices } from "../services.js";
import type { SessionUrls } from "./session-urls.js";

/** The images of one call. */
class CallUrls implements ImageUrls {
  readonly #session: SessionUrls;
  readonly #onEnd: (listener: () => void) => void;
  readonly #files = new Map<string, HashedFile>();
  /** Addresses that must be fetched, with the field that first names each. */
  readonly missing = new Map<string, string>();

  constructor(session: SessionUrls, reply: FastifyReply) {
    this.#session = session;
    this.#onEnd = (listener) => onResponseClose(reply, listener);
  }

  find(url: string, param: string): HashedFile | undefined {
    const file = this.#files.get(url) ?? this.#session.find(url, this.#onEnd);
    if (file) this.#files.set(url, file);
    else if (!this.missing.has(url)) this.missing.set(url, param);
    return file;
  }

  add(url: string, bytes: Uint8Array): void {
    this.#files.set(url, this.#session.keep(url, bytes, this.#onEnd));
  }
}

/**
 * Reads a request whose images may have to be fetched. If so, the request is read a second time with the images, so that an error in it
 * is found before anything is fetched.
 *
 * @param read reads the request. The images that were not fetched yet are stand-ins in its first result
 * @throws RequestError if an image cannot be fetched
 */
export async function readWithImages<T>(
  services: CallServices,
  request: FastifyRequest,
  reply: FastifyReply,
  read: (sources: ImageSources) => T,
): Promise<T> {
  const { imageFetcher } = services;
  const { takenImages } = request;
  if (!imageFetcher) return read({ takenImages });
  const session = requireSession(request);
  const known = imageFetcher.forSession(session);
  const urls = new CallUrls(known, reply);
  const sources = { takenImages, imageUrls: urls };
  const first = read(sources);
  if (urls.missing.size === 0) return first;
  const { admitted } = request;
  // A call that was not admitted counts in no limit.
  if (!admitted) requireOpen(services, session);
  const onBytes = (bytes: number) => admitted?.addFile(bytes);
  const failed = new AbortController();
  const signal = AbortSignal.any([disconnectSignal(reply), failed.signal]);
  setUnlimitedListeners(signal);
  const fetchOne = async ([url, param]: readonly [string, string]) => {
    using _permit = await known.fetches.acquire(signal);
    urls.add(url, await imageFetcher.client.fetch(url, { param, signal, onBytes }));
  };
  try {
    await Promise.all(Array.from(urls.missing, fetchOne));
  } catch (error) {
    failed.abort(error);
    // Closing the server ends its fetches.
    if (services.draining) requireOpen(services, session);
    throw error;
  }
  return read(sources);
}
