import { estimateCharacters } from "../../conversation/size.js";
import { ApiError } from "../../http/errors.js";
import { LONG_TEXT } from "../../support/async/turns.js";
import { groupDigits } from "../../support/group-digits.js";
/**
 * Measures a conversation. Call this before any work that takes time for each character.
 *
 * @throws ApiError `prompt_too_large`
 */
export function measurePrompt({ settings }, conversation) {
    const characters = estimateCharacters(conversation);
    if (characters > settings.maxPromptCharacters) {
        const limit = groupDigits(settings.maxPromptCharacters);
        const counted = groupDigits(characters);
        const message = `The messages and tools count as ${counted} characters; server.max_prompt_characters allows ${limit}.`;
        throw new ApiError("prompt_too_large", message);
    }
    return { isLong: characters >= LONG_TEXT };
}
//# sourceMappingURL=prompt-size.js.map