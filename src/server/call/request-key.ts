import type { PreparedMessages } from "../../session/session.js";
import { hashKey } from "../../session/session-keys.js";
import { keepSpelling } from "../../support/json/spelled.js";
import type { ModelCall } from "./model-call.js";

/**
 * Returns a digest of everything that the request asks for. An SDK that repeats a request changes none of it; a side call with the
 * same messages, but other tools or sampling, is another request.
 */
export function requestKey({ api, request }: ModelCall, { digests, toolsKey, templateArgs }: PreparedMessages): string {
  const { conversation, previousId, model, sampling, calls, logprobs, stream } = request;
  // The chain digest of the last message covers them all.
  const messages = Buffer.from(digests.subarray(-16)).toString("base64url");
  const context = [
    previousId,
    conversation.prefill,
    toolsKey,
    templateArgs,
    calls.mustCall,
    calls.single,
    [...calls.strict],
  ];
  return hashKey(JSON.stringify([messages, ...context, api, model, sampling, logprobs, stream], keepSpelling));
}
