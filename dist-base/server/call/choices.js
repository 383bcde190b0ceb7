import { randomUUID } from "node:crypto";
import { computeRequestKey } from "./request-key.js";
/**
 * Begins the choices of a call. Each is a separate attempt, which the same choice of a retry repeats.
 *
 * @throws ApiError if the session has no room for all of them
 */
export function beginChoices(call, prepared) {
    const { session, admitted, idPrefix, request, retry } = call;
    const { choices: count = 1 } = request;
    const admittedChoices = count > 1 ? [admitted, ...(admitted?.admitChoices(count - 1) ?? [])] : [admitted];
    const key = computeRequestKey(call, prepared);
    const controller = new AbortController();
    const { retryCount, idempotencyKey } = retry;
    const all = [];
    for (let index = 0; index < count; index++) {
        const requestKey = index === 0 ? key : `${key}:${index}`;
        all.push({
            index,
            id: `${idPrefix}${randomUUID().replaceAll("-", "")}`,
            inFlight: session.calls.begin({ requestKey, retryCount, idempotencyKey }, controller),
            admitted: admittedChoices[index] ?? null,
        });
    }
    return { all, controller };
}
//# sourceMappingURL=choices.js.map