import type { EngineReply, ReplyFormat } from "../../../native/contract.js";
import type { ServerCall } from "../engine-server.js";
import type { ServerConnections } from "./connections.js";
import { GenerationSink } from "./reply-sink.js";

export interface GenerationRequest {
  /** Below the server's base address, without a slash before it. */
  readonly path: string;
  readonly body: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly format: ReplyFormat;
}

/** Sends one request and takes its reply, streamed or whole, into the call's generation. */
export async function generateOnce(
  server: ServerConnections,
  call: ServerCall,
  { format, ...request }: GenerationRequest,
  signal: AbortSignal,
): Promise<EngineReply> {
  const version = call.currentVersion();
  const routed = { ...request, routingKey: call.affinityKey };
  const sink = await server.generate(routed, () => new GenerationSink(call, format, version), signal);
  return sink.finish();
}
