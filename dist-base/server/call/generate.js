import { native } from "../../native/addon.js";
import { sliceLength } from "../../protocols/logprobs.js";
import { OutputReader } from "./output-reader.js";
import { readRecordedTokens } from "./token-slices.js";
/**
 * Has the engine generate the answer. If there is a sink, writes the output to it while tokens arrive.
 *
 * @param whenTurn resolves when the engine may be called. The sink is started before, because the start of a stream lists all choices
 */
export async function generate(context, job, whenTurn) {
    const { call, built, sampling, start, sink, controller } = job;
    const { signal } = controller;
    const { model, engine, metrics } = context;
    const generation = new native.Generation();
    const wantsTokens = call.request.logprobs === "all";
    const reader = new OutputReader({
        model,
        generation,
        openParser: () => model.outputParser(new ParserOptions(job)),
        wantsTokens: wantsTokens && sink !== undefined,
        readers: call.request.choices ?? 1,
        maxTokens: call.request.logprobs === "none" ? Number.POSITIVE_INFINITY : sliceLength(sampling.topLogprobs),
        sink,
    });
    // The engine and the sink call this. They cannot handle an error, so it ends the call through its controller.
    const advance = () => {
        try {
            reader.advance();
        }
        catch (error) {
            controller.abort(error);
        }
    };
    let followed = sampling;
    const onBudgetIgnored = () => {
        followed = { ...sampling, thinkingBudget: undefined };
        const { thinkingBudget } = call.request.sampling;
        if (thinkingBudget)
            call.onUnenforced(thinkingBudget.param);
    };
    sink?.start(start, advance);
    if (whenTurn)
        await whenTurn();
    signal.throwIfAborted();
    const engineStart = performance.now();
    try {
        const result = await engine.generate({
            prompt: built.prompt,
            promptText: job.promptText,
            generation,
            sampling,
            traceHeaders: call.traceHeaders,
            affinityKey: call.session.id,
            currentVersion: () => context.weightVersion.version,
            onTokens: sink && advance,
            tokenBytes: (id) => model.tokenBytes(id),
            onBudgetIgnored,
            signal,
        });
        await reader.catchUp();
        signal.throwIfAborted();
        const output = reader.finish(result.finish);
        const tokens = wantsTokens && sink === undefined ? readRecordedTokens(model, generation, 0) : undefined;
        return { result, output, generation, tokens, sampling: followed };
    }
    finally {
        metrics.engineSeconds.observe((performance.now() - engineStart) / 1000);
    }
}
/** Options of the parser of a call's output. */
class ParserOptions {
    tools;
    stop;
    stopTokenIds;
    answerBegun;
    textTokens;
    #built;
    constructor({ call, built, sampling }) {
        const { conversation, logprobs } = call.request;
        this.tools = [...(conversation.tools ?? []), ...(conversation.loadedTools ?? [])];
        this.stop = sampling.stop;
        this.stopTokenIds = sampling.stopTokenIds;
        this.answerBegun = conversation.prefill !== undefined;
        this.textTokens = logprobs === "text";
        this.#built = built;
    }
    /** A getter, because only families that reason need it: decoding the end of the prompt takes a noticeable part of a short call. */
    get promptEnd() {
        return this.#built.decodeEnd();
    }
}
//# sourceMappingURL=generate.js.map