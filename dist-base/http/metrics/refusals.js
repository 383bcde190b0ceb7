import { Counter } from "prom-client";
/**
 * Adds a counter of error answers by code. Its label values are the codes of the catalogue.
 *
 * @param name differs between server and gateway, because a gateway's `/metrics` contains both
 * @returns a function that counts an answer
 */
export function countRefusals(name, register) {
    const refusals = new Counter({
        name,
        help: "Refused and failed requests by error code.",
        labelNames: ["code"],
        registers: [register],
    });
    return ({ code }) => refusals.inc({ code });
}
//# sourceMappingURL=refusals.js.map