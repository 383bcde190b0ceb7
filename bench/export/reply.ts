/** The part of a reply that is recorded. */
export interface RecordedReply {
  readonly ids: Int32Array;
  readonly logprobs: Float32Array;
}

interface ReplyJson {
  readonly output_ids: readonly number[];
  readonly meta_info: { readonly output_token_logprobs: readonly (readonly [number, number, string | null])[] };
}

/**
 * Returns a reply of SGLang's `/generate` with `return_logprob`: text, `output_ids`, and for each token `[log probability, id, null]`
 * of the token and of its `alternatives`. Log probabilities are float32 values printed as Python prints doubles.
 */
export function sglangReply(tokens: number, alternatives: number): Buffer {
  let state = 7;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0);
  const entry = (id: number): [number, number, null] => [Math.fround(-next() / 2 ** 31), id, null];
  const ids = Array.from({ length: tokens }, () => next() % 151_936);
  const alternativesOf = () => Array.from({ length: alternatives }, () => entry(next() % 151_936));
  return Buffer.from(
    JSON.stringify({
      text: " lorem ipsum".repeat(Math.ceil(tokens / 3)),
      output_ids: ids,
      meta_info: {
        id: "0123456789abcdef0123456789abcdef",
        finish_reason: { type: "stop", matched: 2 },
        prompt_tokens: 4096,
        weight_version: "3",
        completion_tokens: tokens,
        cached_tokens: 4095,
        output_token_logprobs: ids.map(entry),
        ...(alternatives > 0 ? { output_top_logprobs: ids.map(alternativesOf) } : {}),
      },
    }),
  );
}

/** Records a reply in JavaScript: decodes it, parses it and copies the values into typed arrays. */
export function recordWithJson(body: Buffer): RecordedReply {
  const reply = JSON.parse(body.toString("utf8")) as ReplyJson;
  const entries = reply.meta_info.output_token_logprobs;
  const ids = new Int32Array(entries.length);
  const logprobs = new Float32Array(entries.length);
  entries.forEach(([logprob, id], index) => {
    ids[index] = id;
    logprobs[index] = logprob;
  });
  return { ids, logprobs };
}
