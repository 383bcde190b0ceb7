import { noEffect } from "../protocols/fields.js";

/** Fields that AReaL's clients send for what only AReaL's own server does: known here, and without effect. */

export const arealStartFields = { processor_cache_group_id: noEffect, processor_cache_group_size: noEffect };

export const arealExportFields = { drop_retry_orphans: noEffect, supports_shared_tensor_references: noEffect };
