import type { FastifyRequest } from "fastify";
import type { Registry } from "prom-client";
import type { BodyShares } from "./body-shares.js";
declare module "fastify" {
    interface FastifyRequest {
        /** Gives the bytes of the body back; null if it has none. */
        releaseBody: (() => void) | null;
    }
}
export interface BodyBudgetOptions {
    readonly budget: BodyShares;
    /** Returns the sender of the body, so that one sender cannot use up the budget. Null: the sender may use all free bytes. */
    readonly findSender: (request: FastifyRequest) => object | null;
    readonly register: Registry;
    /** Name of the gauge of the bytes in use. */
    readonly metric: string;
}
/**
 * Limits the memory of all request bodies that are being received. A body counts with its declared size, or with the largest
 * size allowed if it declares none, from its headers until it is parsed. Register this after the plugin that checks keys.
 */
export declare const bodyBudget: import("fastify").FastifyPluginCallback<BodyBudgetOptions, import("fastify").RawServerDefault, import("fastify").FastifyTypeProviderDefault, import("fastify").FastifyBaseLogger>;
/** Returns the size that a body may have; 0 if there is none. */
export declare function declaredSize({ headers, server }: FastifyRequest): number;
