/** Returns the limit of a call's reasoning, in tokens; undefined if it has none or if the answer has no reasoning. */
export function chooseBudget({ model }, { request: { conversation, sampling } }, { decodeEnd }) {
    const { thinkingBudget: budget } = sampling;
    if (budget === undefined || conversation.prefill !== undefined)
        return undefined;
    return model.hasEndedReasoning(decodeEnd()) ? undefined : budget.tokens;
}
//# sourceMappingURL=choose-budget.js.map