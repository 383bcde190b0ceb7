import type { ReplyFormat } from "../../../native/contract.js";
import type { AbortSource } from "../../../support/async/abort-source.js";
import type { ServerCall, ServerReply } from "../engine-server.js";
import { ReplyVersions } from "../versions/reply-versions.js";
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
): Promise<ServerReply> {
  const versions = call.versions ?? new ReplyVersions(call);
  const routed = { path, body, onSent, headers: { ...call.traceHeaders, ...headers }, routingKey: call.affinityKey };
  let sink = undefined as GenerationSink | undefined;
  const open = () => (sink = new GenerationSink(call, format, versions));
  try {
    return await (await server.generate(routed, open, signal)).finish();
  } catch (error) {
    sink?.cut();
    throw error;
  }
}
