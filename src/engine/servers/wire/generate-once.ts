import type { NativeGeneration, NativePrompt } from "../../../native/contract.js";
import type { GenerateCall } from "../../engine.js";
import type { ServerReply, ServerRequest } from "../engine-server.js";
import type { EncodedRequest, RequestBody, ServerConnections } from "./connections.js";
import { GenerationSink } from "./reply-sink.js";

/** From this many ids on, a request is written on a worker thread. */
const ASYNC_WRITE_IDS = 32 * 1024;

/** Sends one request and adds the tokens of its reply, streamed or not, to the call's generation. */
export async function generateOnce(
  server: ServerConnections,
  request: ServerRequest,
  encoded: EncodedRequest,
): Promise<ServerReply> {
  let sink = undefined as GenerationSink | undefined;
  const open = () => (sink = new GenerationSink(request, encoded));
  try {
    return await (await server.generate(encoded, request.call, open, request.signal)).finish();
  } catch (error) {
    sink?.cut();
    throw error;
  }
}

/**
 * Writes a request's JSON: `prefix`, the ids of prompt and generation so far, `suffix`. The ids that an earlier request of
 * the conversation had are not written again.
 */
export async function writeBody(call: GenerateCall, prefix: string, suffix: string): Promise<RequestBody> {
  const { prompt, generation, promptText } = call;
  // A resumed generation is rare, and its ids would have to be removed again.
  if (!promptText || generation.length > 0) return { body: await writeWhole(call, prefix, suffix) };
  const { text, shared } = promptText;
  const onSent = () => text.giveBack();
  const body = text.extend(prompt, prefix, suffix, shared);
  if (body) return { body, onSent };
  const whole = await writeWhole(call, prefix, suffix);
  return text.keep(whole, prompt, prefix, suffix) ? { body: whole, onSent } : { body: whole };
}

function writeWhole({ prompt, generation }: GenerateCall, prefix: string, suffix: string): Buffer | Promise<Buffer> {
  return writeIds(prompt, { prefix, suffix }, generation.length > 0 ? generation : undefined);
}

/** Writes the ids of a prompt, and of the output so far, into JSON. Returns a promise if a worker thread does so. */
export function writeIds(
  prompt: NativePrompt,
  { prefix, suffix }: { readonly prefix: string; readonly suffix: string },
  partial?: NativeGeneration,
): Buffer | Promise<Buffer> {
  return prompt.length + (partial?.length ?? 0) < ASYNC_WRITE_IDS
    ? prompt.requestBody(prefix, suffix, partial)
    : prompt.requestBodyAsync(prefix, suffix, partial);
}
