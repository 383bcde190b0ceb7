import { hashText } from "../../session/session-keys.js";
import type { Turn } from "../../session/turn/turn.js";
import { keepSpelling } from "../../support/json/spelled.js";
import type { ModelCall } from "./model-call.js";

/**
 * Returns a digest of everything that decides the answer to a request. A retry by an SDK has the same digest, also if it is streamed
 * and the first attempt was not. A side call with the same messages but other tools or sampling has another one.
 */
export function computeRequestKey({ api, request }: ModelCall, { digests, toolsKey }: Turn): string {
  const { conversation, previousId, model, sampling, calls, logprobs, choices = 1 } = request;
  // The last 16 bytes are the chain digest of the last message, which covers all messages.
  const messages = Buffer.from(digests.subarray(-16)).toString("base64url");
  const context = [previousId, conversation.prefill, toolsKey, calls.mustCall, calls.single, [...calls.strict]];
  const text = JSON.stringify([messages, ...context, api, model, sampling, logprobs, choices]);
  // Only these may have numbers whose spelling counts. `JSON.stringify` is ten times as slow with a replacer.
  const args = conversation.templateArgs ? JSON.stringify(conversation.templateArgs, keepSpelling) : "";
  return hashText(text + args);
}
