export function rebuildCompletion(facts) {
    const { id, startedAt, model, message, finishReason, promptTokens, completionTokens } = facts;
    return {
        id,
        object: "chat.completion",
        created: Math.floor(startedAt),
        model,
        choices: [
            {
                index: 0,
                message: restoreNullContent(message),
                finish_reason: finishReason,
                logprobs: null,
                interaction_id: id,
            },
        ],
        usage: {
            prompt_tokens: promptTokens,
            completion_tokens: completionTokens,
            total_tokens: promptTokens + completionTokens,
        },
    };
}
/** Restores OpenAI's null content of an answer that has tool calls and no text. The recording has an empty string. */
function restoreNullContent(message) {
    const { content, tool_calls: calls } = message;
    const empty = content === "" && Array.isArray(calls) && calls.length > 0;
    return { ...message, content: empty ? null : content, refusal: null };
}
//# sourceMappingURL=completion.js.map