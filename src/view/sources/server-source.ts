import { ApiError, CATALOGUE, type ErrorCode } from "../../http/errors.js";
import type { EpisodeLine } from "../../transcript/format.js";
import type { ImagePlace, Overview, SearchResult, TokenItems, TokenPlace, TokenRange, TokenSlice } from "../api.js";
import { ViewError } from "../errors.js";
import { checkImage } from "./find-image.js";
import type { OpenSource } from "./open-source.js";

/** Episodes of a running server. Its admin key stays in this process: the page never has it. */
export class ServerSource implements OpenSource {
  readonly #api: URL;
  readonly #adminKey: string;

  /** @param url address of the server, such as `http://127.0.0.1:8090` */
  constructor(url: string, adminKey: string) {
    this.#api = new URL(`${url.replace(/\/+$/, "").replace(/\/ui$/, "")}/ui/api/`);
    this.#adminKey = adminKey;
  }

  /**
   * Checks that the server answers.
   *
   * @throws ViewError
   */
  async check(): Promise<void> {
    try {
      await this.overview();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new ViewError("server_unavailable", message, { cause: error });
    }
  }

  overview(after = 0): Promise<Overview> {
    return this.#get(`overview?after=${after}`);
  }

  changes(after: number, signal: AbortSignal): Promise<Overview> {
    return this.#get(`changes?after=${after}`, signal);
  }

  episode(index: number): Promise<EpisodeLine> {
    return this.#get(`episodes/${index}`);
  }

  tokens({ episode, interaction, from, count }: TokenRange): Promise<TokenSlice> {
    return this.#get(`episodes/${episode}/tokens/${interaction}?from=${from}&count=${count}`);
  }

  items({ episode, interaction, token }: TokenPlace): Promise<TokenItems> {
    return this.#get(`episodes/${episode}/tokens/${interaction}/${token}`);
  }

  async image({ episode, sha256 }: ImagePlace): Promise<Uint8Array> {
    const response = await this.#ask(`episodes/${episode}/images/${sha256}`);
    return checkImage(new Uint8Array(await response.arrayBuffer()), sha256);
  }

  search(text: string, signal: AbortSignal): Promise<SearchResult> {
    return this.#get(`episodes?${new URLSearchParams({ text }).toString()}`, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #get<T>(path: string, signal?: AbortSignal): Promise<T> {
    const response = await this.#ask(path, signal);
    const body: unknown = await response.json().catch(() => undefined);
    if (body !== undefined) return body as T;
    throw this.#toError(response.status, body);
  }

  /** @throws ApiError for an answer without success */
  async #ask(path: string, signal: AbortSignal | null = null): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#adminKey}` };
    let response: Response;
    try {
      // The key must not follow a redirect to another server.
      response = await fetch(new URL(path, this.#api), { headers, signal, redirect: "error" });
    } catch (cause) {
      signal?.throwIfAborted();
      throw unavailable(`The server at ${this.#api.origin} does not answer.`, cause);
    }
    if (response.ok) return response;
    throw this.#toError(response.status, await response.json().catch(() => undefined));
  }

  #toError(status: number, body: unknown): ApiError {
    const { error } = (body ?? {}) as { readonly error?: { readonly code?: unknown; readonly message?: unknown } };
    const { code, message } = error ?? {};
    const server = `The server at ${this.#api.origin}`;
    // Not as 401: the page would ask for a key that it must not have.
    if (status === 401 || status === 403) {
      return unavailable(`${server} refuses the key. ROLLTAPE_ADMIN_API_KEY must be its admin key.`);
    }
    if (typeof message !== "string") return unavailable(`${server} answered with status ${status} and no message.`);
    if (message.includes("/ui/api/") && code === "not_found") {
      return unavailable(`${server} does not show its episodes. Set server.ui to true in its configuration.`);
    }
    return isKnown(code) ? new ApiError(code, message) : unavailable(`${server} answered: ${message}`);
  }
}

function isKnown(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(CATALOGUE, code);
}

function unavailable(message: string, cause?: unknown): ApiError {
  return new ApiError("upstream_unavailable", message, { cause });
}
