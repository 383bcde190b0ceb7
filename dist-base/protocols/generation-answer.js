/** Returns the tokens of several answers to one call together. */
export function sumTokens(answers) {
    return {
        completionTokens: answers.reduce((sum, each) => sum + each.completionTokens, 0),
        reasoningTokens: answers.reduce((sum, each) => sum + each.reasoningTokens, 0),
    };
}
//# sourceMappingURL=generation-answer.js.map