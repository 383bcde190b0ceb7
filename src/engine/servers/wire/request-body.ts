import type { GenerateCall } from "../../engine.js";

/** From this many ids on, a request is written on a worker thread. */
const ASYNC_WRITE_IDS = 32 * 1024;

/** Returns a request's JSON: `prefix`, the ids of prompt and generation so far, `suffix`. */
export async function requestBody(
  { prompt, generation }: GenerateCall,
  prefix: string,
  suffix: string,
): Promise<Buffer> {
  const partial = generation.length > 0 ? generation : undefined;
  return prompt.length + generation.length < ASYNC_WRITE_IDS
    ? prompt.requestBody(prefix, suffix, partial)
    : await prompt.requestBodyAsync(prefix, suffix, partial);
}
