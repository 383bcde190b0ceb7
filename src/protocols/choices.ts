import { RequestError } from "./request-error.js";
import type { RequestPolicies } from "./request-policies.js";

/**
 * Checks how many answers a request asks for.
 *
 * @param param the request's field that has the number
 * @throws RequestError if the server allows fewer
 */
export function checkChoices(count: number | undefined, param: string, { maxChoices = 1 }: RequestPolicies): void {
  if (count === undefined || count <= maxChoices) return;
  const message = `${param} must be between 1 and ${maxChoices}; received ${count}.`;
  throw new RequestError(param, message);
}
