import { z } from "zod";
/**
 * Fields of features that only AReaL's own server has. AReaL's clients send them, so they are accepted without effect.
 */
export declare const arealStartFields: {
    processor_cache_group_id: z.ZodOptional<z.ZodUnknown>;
    processor_cache_group_size: z.ZodOptional<z.ZodUnknown>;
};
export declare const arealExportFields: {
    drop_retry_orphans: z.ZodOptional<z.ZodUnknown>;
    supports_shared_tensor_references: z.ZodOptional<z.ZodUnknown>;
};
