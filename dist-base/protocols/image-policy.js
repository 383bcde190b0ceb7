import {} from "../conversation/media.js";
import { RequestError } from "./request-error.js";
/**
 * Returns how many parts the prompt shows as placeholders.
 *
 * @throws RequestError for the first part that is not text if the policy is "refuse"
 */
export function countPlaceholders(found, policy = "refuse") {
    const [first] = found;
    if (first && policy === "refuse") {
        const advice = 'Set rollout.agent.images to "placeholder" to show such parts to the model as text, such as [image].';
        const message = `${first.param}: "${first.type}" is not supported, because the model sees text only. ${advice}`;
        throw new RequestError(first.param, message, "unsupported_parameter");
    }
    return found.filter(({ isText = false }) => !isText).length;
}
/** @param path path of the content, such as `messages[0].content` */
export const toMediaFields = (media, path) => media.map(({ index, type }) => ({ param: `${path}[${index}].type`, type }));
//# sourceMappingURL=image-policy.js.map