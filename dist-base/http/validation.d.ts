import type { FastifyRequest, FastifySchemaCompiler } from "fastify";
import { z } from "zod";
export interface ValidatorOptions {
    /** Refuses unknown fields of control and export bodies. Model calls always refuse them. */
    readonly strictControlFields: boolean;
}
/**
 * Returns a Fastify validator that uses zod. It turns the first issue into a 400 that names the field. Unknown fields come
 * before all other issues, because an unknown `sesion_id` explains why `session_id` is missing.
 */
export declare function zodValidator({ strictControlFields }: ValidatorOptions): FastifySchemaCompiler<z.ZodType>;
/**
 * Checks a body in several iterations of the event loop if the check takes long. The validation that follows uses the result. The body must
 * not be changed or replaced in between.
 */
export declare function checkBodyInTurns({ body, routeOptions }: FastifyRequest): Promise<void>;
