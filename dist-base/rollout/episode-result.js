import { describe } from "./describe.js";
import { Rejection } from "./rejection.js";
const EXPECTED = "arunEpisode must resolve with { accepted, rejected }";
/** Runs a workflow, which may be user code. If it throws or returns an invalid result, its episode is rejected. */
export async function runWorkflow(workflow, engine, data, options) {
    try {
        return checkResult(await workflow.arunEpisode(engine, data, options));
    }
    catch (error) {
        const reason = Rejection.from("workflow_error", error);
        return { accepted: [], rejected: [{ groupId: options.groupId, reason }] };
    }
}
/** @throws Rejection `workflow_error` if the result does not match the contract */
function checkResult(result) {
    if (typeof result !== "object" || result === null)
        throw resultError(`received ${describe(result)}`);
    const { accepted, rejected } = readFields(result);
    if (!Array.isArray(accepted))
        throw fieldError("accepted", "an array", accepted);
    if (!Array.isArray(rejected))
        throw fieldError("rejected", "an array", rejected);
    for (const [i, episode] of accepted.entries())
        checkAccepted(readFields(episode), `accepted[${i}]`);
    for (const [i, episode] of rejected.entries())
        checkRejected(readFields(episode), `rejected[${i}]`);
    return result;
}
function checkAccepted(episode, path) {
    const { sessionId, url, interactionCount, rewards } = episode;
    if (typeof sessionId !== "string")
        throw fieldError(`${path}.sessionId`, "a string", sessionId);
    if (typeof url !== "string")
        throw fieldError(`${path}.url`, "the address of the session's proxy", url);
    if (!Number.isInteger(interactionCount) || Number(interactionCount) < 1) {
        throw fieldError(`${path}.interactionCount`, "a positive integer", interactionCount);
    }
    if (!(rewards instanceof Map))
        throw fieldError(`${path}.rewards`, "a Map of interaction ids to numbers", rewards);
}
function checkRejected({ reason }, path) {
    if (!(reason instanceof Rejection))
        throw fieldError(`${path}.reason`, "a Rejection", reason);
}
function readFields(value) {
    return typeof value === "object" && value !== null ? value : {};
}
function fieldError(field, expected, value) {
    return resultError(`${field} must be ${expected}, received ${describe(value)}`);
}
function resultError(problem) {
    return new Rejection("workflow_error", `${EXPECTED}; ${problem}.`);
}
//# sourceMappingURL=episode-result.js.map