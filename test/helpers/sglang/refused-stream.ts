/**
 * Returns the stream of SGLang 0.5.23 for a request that it refuses, or ends before it runs. Its only token is a placeholder
 * without a log probability, and its prompt has one token.
 */
export function refusedStream(message: string): string {
  return (
    'data: {"text":" s","output_ids":[293],"meta_info":{"id":"004065ca61794dc8817b7224a0215301","finish_reason":{"type":' +
    `"abort","message":${JSON.stringify(message)},"status_code":400,"err_type":"BadRequestError"},"prompt_tokens":1,` +
    '"weight_version":"default","num_retractions":0,"input_token_logprobs":[],"output_token_logprobs":[],' +
    '"output_token_logprobs_length":0,"reasoning_tokens":0,"completion_tokens":1,"cached_tokens":0,"weight_versions":' +
    '[{"version":"default","start":0,"end":1}],"cached_tokens_details":null,"dp_rank":null,"e2e_latency":0.0426,' +
    '"response_sent_to_client_ts":1795703995.7001402}}\n\ndata: [DONE]\n\n'
  );
}

export const NO_GRAMMAR =
  "Failed to compile regex grammar: [14:39:55] /project/cpp/regex_converter.cc:83: Regex parsing error at position 3: " +
  "The parenthesis is not closed.\n";
