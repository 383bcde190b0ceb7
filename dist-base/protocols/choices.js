import { RequestError } from "./request-error.js";
/**
 * Checks how many answers a request asks for.
 *
 * @param param the request's field that has the number
 * @throws RequestError if the configuration allows fewer
 */
export function checkChoices(count, param, { maxChoices = 1 }) {
    if (count === undefined || count <= maxChoices)
        return;
    const message = `${param} must be between 1 and ${maxChoices} (rollout.agent.max_choices); received ${count}.`;
    throw new RequestError(param, message);
}
//# sourceMappingURL=choices.js.map