import { request as httpRequest, type IncomingMessage } from "node:http";

export interface CaptureRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly key?: string;
}

/** A request and the answer to it, as a fixture holds them. */
export interface Capture {
  readonly method: string;
  readonly path: string;
  readonly request: Readonly<Record<string, unknown>> | null;
  readonly status: number;
  readonly headers: { readonly "content-type": string | null };
  /** The exact bytes of the answer, which are UTF-8. */
  readonly body: string;
}

/** A request that is being answered. */
export interface Exchange {
  readonly capture: Promise<Capture>;
  /** Resolves when this many server-sent events have arrived, or the answer has ended. */
  events(count: number): Promise<void>;
}

export function exchange(url: string, request: CaptureRequest): Exchange {
  const { method, path, body, key } = request;
  const text = body === undefined ? "" : JSON.stringify(body);
  const headers = {
    ...(body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };
  let received = "";
  let waiting: (() => void)[] = [];
  const wake = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  let ended = false;
  const answer = new Promise<Capture>((resolve, reject) => {
    const sent = httpRequest(new URL(path, url), { method, headers, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => {
        pieces.push(piece);
        received += piece.toString("latin1");
        wake();
      });
      response.on("end", () => resolve(toCapture(request, response, Buffer.concat(pieces))));
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(text);
  });
  const capture = answer.finally(() => {
    ended = true;
    wake();
  });
  return {
    capture,
    async events(count) {
      while (!ended && received.split("\n\n").length <= count) await new Promise<void>((done) => waiting.push(done));
    },
  };
}

function toCapture({ method, path, body }: CaptureRequest, response: IncomingMessage, bytes: Buffer): Capture {
  const text = bytes.toString("utf8");
  if (!Buffer.from(text).equals(bytes)) throw new Error(`the answer of ${path} is not UTF-8`);
  return {
    method,
    path,
    request: body ?? null,
    status: response.statusCode ?? 0,
    headers: { "content-type": response.headers["content-type"] ?? null },
    body: text,
  };
}
