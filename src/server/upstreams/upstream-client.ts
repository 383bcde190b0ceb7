import { Agent, type Dispatcher } from "undici";
import { ApiError } from "../../http/errors.js";
import { untilAborted } from "../../support/async/until-aborted.js";
import type { UpstreamRequest } from "./upstream-request.js";

const CONNECT_TIMEOUT_MS = 10_000;

/** Codes of undici and Node for an upstream that takes too long. */
const TIMEOUTS: ReadonlySet<unknown> = new Set([
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "ETIMEDOUT",
]);

export interface SendOptions {
  /** Model name for error messages. They do not show the address, which may be internal. */
  readonly model: string;
  /** The call fails if no byte of the reply arrives for this time. */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

/** The connections to upstreams. */
export class UpstreamClient {
  readonly #agent = new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS } });

  /**
   * Sends a call and resolves when its reply begins, whatever its status.
   *
   * @throws ApiError `upstream_unavailable` or `upstream_timeout`, or the signal's reason
   */
  async send(request: UpstreamRequest, options: SendOptions): Promise<Dispatcher.ResponseData> {
    const { signal, timeoutSeconds, model } = options;
    const milliseconds = timeoutSeconds * 1000;
    const times = { headersTimeout: milliseconds, bodyTimeout: milliseconds };
    const answer = this.#agent.request({ ...request, ...times, method: "POST", signal });
    let reply: Dispatcher.ResponseData;
    try {
      // undici's agent does not listen to the signal while it opens the connection.
      reply = await untilAborted(answer, signal);
    } catch (cause) {
      throw signal.aborted ? signal.reason : toUpstreamError(cause, options);
    }
    if (reply.statusCode < 300 || reply.statusCode >= 400) return reply;
    // Clients follow redirects, and some send their key along.
    reply.body.on("error", () => undefined).destroy();
    const message = `The upstream of the model "${model}" answered with a redirect (HTTP ${reply.statusCode}).`;
    throw new ApiError("upstream_unavailable", message);
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

function toUpstreamError(cause: unknown, { model, timeoutSeconds }: SendOptions): ApiError {
  const code = (cause as NodeJS.ErrnoException).code;
  if (TIMEOUTS.has(code)) {
    const message = `The upstream of the model "${model}" did not answer within ${timeoutSeconds} s.`;
    return new ApiError("upstream_timeout", message, { cause });
  }
  return new ApiError("upstream_unavailable", `The upstream of the model "${model}" cannot be reached.`, { cause });
}
