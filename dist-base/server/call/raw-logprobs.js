const warned = new WeakSet();
/** Warns once per engine if its log probabilities are not those of the distribution that tokens were sampled from. */
export function warnOfRawLogprobs(engine, logprobs, log) {
    if (logprobs !== "raw" || warned.has(engine))
        return;
    warned.add(engine);
    log.warn({ engine: engine.type }, "The engine reports log probabilities before temperature and penalties. Start vLLM with " +
        "--logprobs-mode processed_logprobs. GET /rl/engine names the servers.");
}
//# sourceMappingURL=raw-logprobs.js.map