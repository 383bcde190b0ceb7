import { StopStringSearch } from "./stop-string-search.js";
/** Prompt tokens that are evaluated between two checks for an abort or a pause. */
const PREFILL_CHUNK = 1024;
/**
 * Cuts the slot's cache to a prefix of the prompt.
 *
 * @returns number of cached prompt tokens. The last prompt token is never cached, because sampling needs its logits.
 */
export async function reuseCache({ sequence, cached }, prompt, shared) {
    const keep = Math.min(shared, prompt.length - 1);
    if (keep < cached.length) {
        await sequence.adaptStateToTokens(prompt.slice(0, keep), false);
        // Some models cannot cut their cache at any place; they keep less.
        cached.truncate(sequence.nextTokenIndex);
    }
    return cached.length;
}
/**
 * Evaluates the prompt tokens that are not cached, and samples until a stop token, a stop string or the token limit.
 *
 * Each step evaluates the tokens that the cache lacks. If the weights are replaced between two steps, the cache is empty, and
 * the next steps evaluate prompt and output again.
 */
export async function decode(slot, prompt, sampler, { sampling, currentVersion }, writer, runStep) {
    const stopTokenIds = new Set(sampling.stopTokenIds);
    const stopStrings = new StopStringSearch(sampling.stop, (ids) => slot.sequence.model.detokenize(ids, true));
    const tokens = [...prompt];
    const output = [];
    let resumes = 0;
    let sequence;
    for (;;) {
        const sampled = await runStep(() => {
            if (slot.sequence !== sequence) {
                if (output.length > 0)
                    resumes++;
                writer.setVersion(currentVersion());
                sequence = slot.sequence;
            }
            return advance(slot, tokens, sampler, output);
        });
        if (!sampled)
            continue;
        output.push(sampled.id);
        tokens.push(sampled.id);
        writer.push(sampled);
        if (stopTokenIds.has(sampled.id))
            return { finish: { reason: "stop", matched: sampled.id }, resumes };
        const matched = stopStrings.find(output);
        if (matched !== undefined)
            return { finish: { reason: "stop", matched }, resumes };
        if (output.length >= sampling.maxTokens)
            return { finish: { reason: "length" }, resumes };
    }
}
/** Evaluates the next tokens that the cache lacks. If these are all of them, samples the token that follows. */
async function advance({ sequence, cached }, tokens, sampler, output) {
    const end = Math.min(tokens.length, cached.length + PREFILL_CHUNK);
    const feed = tokens.slice(cached.length, end);
    if (end < tokens.length) {
        await sequence.evaluateWithoutGeneratingNewTokens(feed);
        cached.append(feed);
        return undefined;
    }
    const last = feed.length - 1;
    const generateNext = sampler.request(output);
    const results = await sequence.controlledEvaluate(feed.map((token, index) => (index === last ? [token, { generateNext }] : token)));
    cached.append(feed);
    const result = results[last];
    if (!result)
        throw new Error("llama.cpp returned no result for the last token");
    return sampler.read(result, output.length);
}
//# sourceMappingURL=decode.js.map