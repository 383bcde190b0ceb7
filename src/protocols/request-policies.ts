import type { ImagePolicies } from "./image-policy.js";
import { RequestError } from "./request-error.js";
import type { ServerToolPolicy } from "./server-tools.js";

/** Limits that the configuration sets for requests. */
export interface RequestPolicies extends ImagePolicies {
  /** Maximum number of answers to one request. Default: 1. */
  readonly maxChoices?: number;
  /** How tools that only an API's own server can run are treated. Default: they are refused. */
  readonly serverTools?: ServerToolPolicy;
}

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
