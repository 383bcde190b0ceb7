import { Agent, type Dispatcher } from "undici";
import { IMAGE_LIMITS } from "../../protocols/image-reader.js";
import { RequestError } from "../../protocols/request-error.js";
import { Deadline } from "../../support/async/deadline.js";
import { untilAborted } from "../../support/async/until-aborted.js";
import { CodedError } from "../../support/coded-error.js";
import { groupDigits } from "../../support/group-digits.js";
import { createHostResolver, createPublicConnector, RefusedHostError, type ResolveHost } from "./public-address.js";

/** Limits of one fetch. */
export const FETCH_LIMITS = {
  /** From the first connection to the last byte. */
  seconds: 10,
  redirects: 1,
  /** Length of an address, in characters. */
  urlLength: 8192,
} as const;

/** Headers of each request. The agent's own headers are not passed on. */
const HEADERS = { accept: "image/*", "user-agent": "rolltape" };

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export interface ImageClientOptions {
  /** Hosts whose addresses need not be public, with their port unless it is the scheme's default. */
  readonly hosts: readonly string[];
  /** Default: that of {@link createHostResolver}. */
  readonly resolve?: ResolveHost;
  /** Default: that of {@link FETCH_LIMITS}. */
  readonly seconds?: number;
}

export interface FetchOptions {
  /** Path of the field with the address, for errors. */
  readonly param: string;
  readonly signal: AbortSignal;
  /** Called before received bytes are kept. If it throws, the fetch fails with that error. */
  readonly onBytes?: (bytes: number) => void;
}

/** Fetches images from public addresses, and from the hosts of `rollout.agent.image_hosts`. */
export class ImageClient {
  readonly #agent: Agent;
  readonly #seconds: number;

  constructor({ hosts, resolve = createHostResolver(), seconds = FETCH_LIMITS.seconds }: ImageClientOptions) {
    // `pipelining: 0` closes each connection after its image. Otherwise agents could hold thousands open by naming as many hosts.
    this.#agent = new Agent({ pipelining: 0, connect: createPublicConnector(hosts, seconds * 1000, resolve) });
    this.#seconds = seconds;
  }

  /**
   * Returns the bytes at an address. They need not be an image.
   *
   * @throws RequestError if the address may not be fetched, the fetch fails, or a limit is exceeded
   */
  async fetch(url: string, { param, signal, onBytes = () => undefined }: FetchOptions): Promise<Uint8Array> {
    const fail = (problem: string) => new RequestError(param, `${param}: the image could not be fetched: ${problem}.`);
    using deadline = new Deadline(signal, this.#seconds, () => fail(`it took more than ${this.#seconds} s`));
    try {
      const body = await this.#open(url, deadline.signal, fail);
      return await readAll(body, onBytes, fail);
    } catch (cause) {
      if (deadline.aborted) throw deadline.reason;
      if (cause instanceof CodedError) throw cause;
      throw fail(describe(cause));
    }
  }

  async #open(url: string, signal: AbortSignal, fail: Fail): Promise<Body> {
    let target = parseUrl(url, fail);
    for (let redirects = 0; ; redirects++) {
      const { origin, pathname, search } = target;
      const request = { origin, path: `${pathname}${search}`, method: "GET", headers: HEADERS, signal } as const;
      // undici's agent does not listen to the signal while it opens the connection.
      const { statusCode, headers, body } = await untilAborted(this.#agent.request(request), signal);
      if (statusCode === 200) return body;
      body.on("error", () => undefined).destroy();
      const { location } = headers;
      if (!REDIRECTS.has(statusCode) || typeof location !== "string") throw fail(`HTTP ${statusCode}`);
      if (redirects === FETCH_LIMITS.redirects) throw fail("it was redirected more than once");
      target = parseUrl(location, fail, target.href);
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

type Body = Dispatcher.ResponseData["body"];
type Fail = (problem: string) => RequestError;

/** @param base the address that redirected to this one, which may be relative to it */
function parseUrl(text: string, fail: Fail, base?: string): URL {
  if (text.length > FETCH_LIMITS.urlLength) {
    throw fail(`its address has more than ${groupDigits(FETCH_LIMITS.urlLength)} characters`);
  }
  const url = URL.canParse(text, base) ? new URL(text, base) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") throw fail("its address is not an http or https URL");
  if (url.username !== "" || url.password !== "") throw fail("its address contains a user name or a password");
  return url;
}

async function readAll(body: Body, onBytes: (bytes: number) => void, fail: Fail): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // An error ends the loop, which destroys the body and its connection.
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > IMAGE_LIMITS.bytes) throw fail(`it has more than ${groupDigits(IMAGE_LIMITS.bytes)} bytes`);
    onBytes(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

function describe(cause: unknown): string {
  if (cause instanceof RefusedHostError) return cause.message;
  return `the connection failed (${(cause as NodeJS.ErrnoException).code ?? "unknown error"})`;
}
