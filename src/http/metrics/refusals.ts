import { Counter, type Registry } from "prom-client";
import type { ApiError } from "../errors.js";

/**
 * Adds a counter of error answers by code. The codes of the catalogue are its only label values.
 *
 * @param name server and gateway use different names, because the gateway's answer has the metrics of both
 * @returns a function that counts an answer
 */
export function countRefusals(name: string, register: Registry): (error: ApiError) => void {
  const refusals = new Counter({
    name,
    help: "Refused and failed requests by error code.",
    labelNames: ["code"],
    registers: [register],
  });
  return ({ code }) => refusals.inc({ code });
}
