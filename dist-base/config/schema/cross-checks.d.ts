import type { z } from "zod";
import type { Config } from "./sections.js";
/** Returns the schema with every rule over several keys attached. */
export declare function withCrossChecks<Schema extends z.ZodType<Config>>(schema: Schema): Schema;
