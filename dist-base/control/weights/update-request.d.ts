import type { UpdateTarget } from "./weight-targets.js";
import type { WeightsBody } from "./weights-schemas.js";
/** @throws ApiError unless the body has either a path or the mode `external` */
export declare function toUpdateTarget({ version, path, mode }: WeightsBody): UpdateTarget;
