import { joinDropped } from "../../protocols/server-tools.js";
import { toRecordedSampling } from "./complete-sampling.js";
/** Records a generated choice as an interaction. */
export function recordChoice(context, job, outcome) {
    const { call, choice, prepared, built, completed, start } = job;
    const { session, request, api, startedAt } = call;
    const { choices = 1 } = request;
    const { prompt, parent, fallback } = built;
    const { result, output, tokens, generation, sampling } = outcome;
    const completionTokens = generation.length;
    const finishReason = toFinishReason(result, output);
    const interaction = session.record({
        prepared,
        output: [prependPrefill(output.message, request.conversation)],
        prompt,
        generation,
        finishReason,
        api,
        id: choice.id,
        request: choice.inFlight.attempt.request,
        parent,
        fallback,
        sampling: toRecordedSampling(sampling, completed, result.logprobs),
        requestedModel: request.model,
        droppedTools: request.droppedTools.length === 0 ? undefined : joinDropped(request.droppedTools),
        toolCount: request.conversation.tools?.length ?? 0,
        ...call.origin,
        placeholders: request.placeholders || undefined,
        ...(choices > 1 ? { choice: choice.index, choices } : {}),
        attempt: call.retry.retryCount,
        resumes: result.resumes,
        startedAt,
    });
    session.calls.recorded(choice.inFlight, interaction.index);
    const { message, parts, stopString, reasoningTokens, toolCalls } = output;
    const { promptTokens } = start;
    context.metrics.countRecorded({ interaction, fallback, result, promptTokens, completionTokens, toolCalls });
    const cachedTokens = result.cachedTokens ?? 0;
    const end = { message, parts, stopString, finishReason, completionTokens, reasoningTokens, cachedTokens, tokens };
    return { answer: Object.assign(end, start), interaction, unsent: output };
}
/** Malformed tool calls stay in the text. One well-formed call is enough for `tool_calls`. */
function toFinishReason({ finish }, { message }) {
    return finish.reason === "stop" && message.toolCalls !== undefined ? "tool_calls" : finish.reason;
}
/** Returns the whole answer. The client has sent its beginning as prefill and receives the rest; later requests have both. */
function prependPrefill(message, { prefill = "" }) {
    return prefill === "" ? message : { ...message, content: prefill + message.content };
}
//# sourceMappingURL=record-choice.js.map