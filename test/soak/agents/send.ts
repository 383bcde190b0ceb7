import type { Dispatcher } from "undici";
import type { Random } from "../../helpers/random.js";
import type { Outcome } from "./attempt.js";
import type { CallRequest, Dialect } from "./dialects.js";
import { ownPauses } from "./own-pauses.js";

/** When an agent closes its connection before it has the whole answer. */
export type Leaving =
  | { readonly when: "never" }
  | { readonly when: "after"; readonly milliseconds: number }
  /** After this many pieces of the answer's body. */
  | { readonly when: "reading"; readonly pieces: number };

export function drawLeaving(random: Random): Leaving {
  return random.weighted<Leaving>([
    [84, { when: "never" }],
    [8, { when: "after", milliseconds: random.integer(0, 120) }],
    [8, { when: "reading", pieces: random.integer(0, 12) }],
  ]);
}

export interface Sending {
  readonly pool: Dispatcher;
  readonly key: string;
  readonly dialect: Dialect;
  readonly request: CallRequest;
  readonly leaving: Leaving;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends one model call, and reads its answer or leaves. */
export async function send(sending: Sending): Promise<Outcome> {
  const { pool, key, dialect, request, leaving, headers } = sending;
  const controller = new AbortController();
  const timer = leaving.when === "after" ? setTimeout(() => controller.abort(), leaving.milliseconds) : undefined;
  let begun = false;
  const beganAt = performance.now();
  const pieces: Buffer[] = [];
  const readPieces = () => Buffer.concat(pieces).toString();
  try {
    const reply = await pool.request({
      path: dialect.path(request),
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers },
      body: JSON.stringify(dialect.body(request)),
      signal: controller.signal,
    });
    begun = true;
    if (leaving.when === "reading" && leaving.pieces === 0) controller.abort();
    for await (const piece of reply.body as AsyncIterable<Buffer>) {
      pieces.push(piece);
      if (leaving.when === "reading" && pieces.length >= leaving.pieces) controller.abort();
    }
    clearTimeout(timer);
    return readOutcome(sending, reply.statusCode, readPieces());
  } catch (error) {
    if (controller.signal.aborted) return { kind: "left", begun };
    const reason = error instanceof Error ? error.message : String(error);
    if (!begun && ownPauses.happenedSince(beganAt)) return { kind: "failed", code: `reset after a pause: ${reason}` };
    return { kind: "lost", reason, received: readPieces() };
  } finally {
    clearTimeout(timer);
  }
}

function readOutcome({ dialect, request }: Sending, status: number, text: string): Outcome {
  if (status !== 200) return { kind: "failed", code: `${status} ${readCode(text)}` };
  if (!request.stream) return { kind: "answered", ...dialect.read(JSON.parse(text)) };
  const read = dialect.readStream(text);
  if (!read) return { kind: "lost", reason: "the stream has no end", received: text };
  if ("code" in read) return { kind: "failed", code: `stream ${read.code}` };
  return { kind: "answered", ...read };
}

function readCode(text: string): string | number {
  const { error } = JSON.parse(text) as { error?: ErrorBody };
  return error?.details?.[0]?.metadata?.code ?? error?.code ?? "unknown";
}

interface ErrorBody {
  /** Google's errors have the HTTP status here, and Rolltape's code in their details. */
  readonly code?: string | number;
  readonly details?: readonly { readonly metadata?: { readonly code?: string } }[];
}
