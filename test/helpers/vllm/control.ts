import type { ServerResponse } from "node:http";
import type { RecordedRequest } from "../recording-server.js";
import { sendJson, sendText } from "../sglang/context.js";
import type { VllmContext } from "./context.js";

/** Models, health and the development router's endpoints. */
export async function vllmControl(
  context: VllmContext,
  { url, json }: RecordedRequest,
  response: ServerResponse,
): Promise<void> {
  const { scheduler, loads, model, contextLength } = context;
  switch (url.pathname) {
    case "/health":
      return sendText(response, context.options.unhealthy ? 503 : 200, "");
    case "/v1/models":
      return sendJson(response, 200, {
        object: "list",
        data: [
          { id: "adapter", object: "model", parent: model, max_model_len: null },
          { id: model, object: "model", owned_by: "vllm", root: model, parent: null, max_model_len: contextLength },
        ],
      });
    case "/pause": {
      const mode = url.searchParams.get("mode") ?? "abort";
      scheduler.pause(mode === "keep" ? "in_place" : "abort");
      await scheduler.cut();
      if (mode !== "keep" && url.searchParams.get("clear_cache") !== "false") scheduler.flush();
      return sendJson(response, 200, { status: "paused" });
    }
    case "/resume":
      scheduler.continue();
      return sendJson(response, 200, { status: "resumed" });
    case "/collective_rpc": {
      const path = Object(json["kwargs"])["weights_path"] as unknown;
      if (json["method"] !== "reload_weights" || typeof path !== "string") {
        return sendJson(response, 500, { error: { message: "unknown method", code: 500 } });
      }
      const message = await loads.load(scheduler, path);
      return message === undefined
        ? sendJson(response, 200, { results: [null] })
        : sendJson(response, 500, { error: { message, type: "InternalServerError", code: 500 } });
    }
    case "/reset_prefix_cache":
      // The real server does not say whether it has reset the cache.
      scheduler.flush();
      return sendText(response, 200, "");
    case "/update_weight_version":
      scheduler.weightVersion = String(json["new_version"]);
      return sendJson(response, 200, { weight_version: scheduler.weightVersion });
    case "/weight_info":
      return sendJson(response, 200, { weight_version: scheduler.weightVersion });
    default:
      sendJson(response, 404, { detail: "Not Found" });
  }
}
