import type { RequestPolicies } from "./request-policies.js";
/**
 * Checks how many answers a request asks for.
 *
 * @param param the request's field that has the number
 * @throws RequestError if the configuration allows fewer
 */
export declare function checkChoices(count: number | undefined, param: string, { maxChoices }: RequestPolicies): void;
