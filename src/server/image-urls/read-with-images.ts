import type { FastifyReply, FastifyRequest } from "fastify";
import { disconnectSignal, onResponseClose } from "../../http/disconnect.js";
import type { HashedFile, ImageUrls } from "../../protocols/image-reader.js";
import type { RequestPolicies } from "../../protocols/request-policies.js";
import { setUnlimitedListeners } from "../../support/async/abort-switch.js";
import { requireOpen } from "../call/call.js";
import { requireSession } from "../plugins/auth.js";
import type { CallServices } from "../services.js";
import type { ImageFetcher } from "./image-fetcher.js";
import type { SessionUrls } from "./session-urls.js";

/** The images that one call names by address. */
class CallUrls implements ImageUrls {
  readonly #session: SessionUrls;
  readonly #onEnd: (listener: () => void) => void;
  readonly #files = new Map<string, HashedFile>();
  /** Addresses that must be fetched, each with the first field that names it. */
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
 * Reads a request and fetches the images that it names by address. The first read finds errors before anything is fetched. If images must
 * be fetched, the request is then read again with them.
 *
 * @param read reads the request. At the first time, images that were not fetched yet are empty
 * @throws RequestError if the request is invalid, or an image cannot be fetched
 */
export function readWithImages<T>(
  services: CallServices,
  request: FastifyRequest,
  reply: FastifyReply,
  read: (policies: RequestPolicies) => T,
): T | Promise<T> {
  const { maxChoices, serverTools, images } = services.settings;
  const { takenImages } = request;
  const policies = { maxChoices, serverTools, images, takenImages, imageUrls: undefined };
  if (!services.imageFetcher) return read(policies);
  return fetchAndRead(services.imageFetcher, { services, request, reply }, (imageUrls) =>
    read({ ...policies, imageUrls }),
  );
}

interface ReadRequest {
  readonly services: CallServices;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

async function fetchAndRead<T>(
  fetcher: ImageFetcher,
  { services, request, reply }: ReadRequest,
  read: (imageUrls: ImageUrls) => T,
): Promise<T> {
  const session = requireSession(request);
  const known = fetcher.forSession(session);
  const urls = new CallUrls(known, reply);
  const first = read(urls);
  if (urls.missing.size === 0) return first;
  const { admitted } = request;
  // The session has ended, or the server is shutting down. Refuse the call before anything is fetched.
  if (!admitted) requireOpen(services, session);
  const onBytes = (bytes: number) => admitted?.addFile(bytes);
  const failed = new AbortController();
  const signal = AbortSignal.any([disconnectSignal(reply), failed.signal]);
  setUnlimitedListeners(signal);
  const fetchOne = async ([url, param]: readonly [string, string]) => {
    using _permit = await known.fetches.acquire(signal);
    urls.add(url, await fetcher.client.fetch(url, { param, signal, onBytes }));
  };
  try {
    await Promise.all(Array.from(urls.missing, fetchOne));
  } catch (error) {
    failed.abort(error);
    // Shutting down the server ends its fetches. The error then names the shutdown.
    if (services.draining) requireOpen(services, session);
    throw error;
  }
  return read(urls);
}
