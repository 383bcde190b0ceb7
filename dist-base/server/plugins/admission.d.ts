import type { FastifyReply, FastifyRequest } from "fastify";
import type { Admission, AdmittedCall, CallKind } from "../limits/admission.js";
declare module "fastify" {
    interface FastifyContextConfig {
        /** Kind of the calls that the route runs. They take memory until they end, so they are admitted before their body is read. */
        readonly admits?: CallKind;
    }
    interface FastifyRequest {
        /** Null if the route does not admit calls, or if the session accepts none. */
        admitted: AdmittedCall | null;
    }
}
export interface AdmissionOptions {
    readonly admission: Admission;
    readonly isDraining: () => boolean;
}
/** Refuses calls beyond the limits of their session or of the store. Register this after the plugin that checks keys. */
export declare const admissionPlugin: import("fastify").FastifyPluginCallback<AdmissionOptions, import("fastify").RawServerDefault, import("fastify").FastifyTypeProviderDefault, import("fastify").FastifyBaseLogger>;
/** Runs the call of a request. It stays in flight until its answer is sent. */
export declare function whileAdmitted<T>({ admitted, bodyBytes }: FastifyRequest, { raw }: FastifyReply, run: () => Promise<T>): Promise<T>;
