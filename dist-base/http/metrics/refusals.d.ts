import { type Registry } from "prom-client";
import type { ApiError } from "../errors.js";
/**
 * Adds a counter of error answers by code. Its label values are the codes of the catalogue.
 *
 * @param name differs between server and gateway, because a gateway's `/metrics` contains both
 * @returns a function that counts an answer
 */
export declare function countRefusals(name: string, register: Registry): (error: ApiError) => void;
