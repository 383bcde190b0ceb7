import { ApiError } from "../../http/errors.js";
import type { UpdateTarget } from "./weight-targets.js";
import type { WeightsBody } from "./weights-schemas.js";

/** @throws ApiError unless the body has either a path or the mode `external` */
export function toUpdateTarget({ version, path, mode }: WeightsBody): UpdateTarget {
  if (mode === "external") {
    if (path === undefined) return { version, mode, path: null };
    const message = "`path` must be absent if `mode` is `external`: the caller pushes the weights itself.";
    throw new ApiError("invalid_value", message, { param: "path" });
  }
  if (path !== undefined) return { version, mode: "path", path };
  throw new ApiError("invalid_value", "`path` must be set, or `mode` must be `external`.", { param: "path" });
}
