import { ApiError } from "../../http/errors.js";
import type { UpdateTarget } from "./weight-targets.js";
import type { WeightsBody } from "./weights-schemas.js";

/** @throws ApiError unless the body has either a path, an adapter or the mode `external` */
export function toUpdateTarget({ version, path, mode, lora, sleep }: WeightsBody): UpdateTarget {
  if (sleep && mode !== "external") {
    const message =
      "`sleep` must be absent unless `mode` is `external`: the servers sleep while the caller uses their devices.";
    throw new ApiError("invalid_value", message, { param: "sleep" });
  }
  if (lora) {
    const other = path === undefined ? mode && "mode" : "path";
    if (!other) return { version, mode: "lora", ...lora };
    const message = `\`${other}\` must be absent if \`lora\` is set: an adapter is loaded from its own path.`;
    throw new ApiError("invalid_value", message, { param: other });
  }
  if (mode === "external") {
    if (path === undefined) return { version, mode, path: null, ...(sleep && { sleep }) };
    const message = "`path` must be absent if `mode` is `external`: the caller pushes the weights itself.";
    throw new ApiError("invalid_value", message, { param: "path" });
  }
  if (path !== undefined) return { version, mode: "path", path };
  throw new ApiError("invalid_value", "`path` or `lora` must be set, or `mode` must be `external`.", { param: "path" });
}
