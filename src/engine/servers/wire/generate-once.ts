import type { EngineReply, ReplyFormat } from "../../../native/contract.js";
import type { AbortSource } from "../../../support/async/abort-source.js";
import type { ServerCall } from "../engine-server.js";
import type { ServerConnections } from "./connections.js";
import { GenerationSink } from "./reply-sink.js";
import type { RequestBody } from "./request-body.js";

export interface GenerationRequest extends RequestBody {
  /** Path below the server's base URL, without a leading slash. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly format: ReplyFormat;
}

/** Sends one request and adds the tokens of its reply, streamed or not, to the call's generation. */
export async function generateOnce(
  server: ServerConnections,
  call: ServerCall,
  { path, body, onSent, headers, format }: GenerationRequest,
  signal: AbortSource,
): Promise<EngineReply> {
  const version = call.currentVersion();
  const routed = { path, body, onSent, headers: { ...call.traceHeaders, ...headers }, routingKey: call.affinityKey };
  const sink = await server.generate(routed, () => new GenerationSink(call, format, version), signal);
  return await sink.finish();
}
