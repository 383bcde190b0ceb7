import { z } from "zod";

const noEffect = z.unknown().optional();

/**
 * Fields of features that only AReaL's own server has. AReaL's clients send them, so they are accepted without effect.
 */

export const arealStartFields = { processor_cache_group_id: noEffect, processor_cache_group_size: noEffect };

export const arealExportFields = { drop_retry_orphans: noEffect, supports_shared_tensor_references: noEffect };
