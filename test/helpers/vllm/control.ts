import type { ServerResponse } from "node:http";
import { sendJson, sendText } from "../sglang/context.js";
import type { VllmContext } from "./context.js";

/** Models, health and the development router's endpoints. */
export function vllmControl(context: VllmContext, url: URL, response: ServerResponse): void {
  const { scheduler, model, contextLength } = context;
  switch (url.pathname) {
    case "/health":
      return sendText(response, 200, "");
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
      return sendJson(response, 200, { status: "paused" });
    }
    case "/is_paused":
      return sendJson(response, 200, { is_paused: scheduler.paused });
    case "/resume":
      scheduler.continue();
      return sendJson(response, 200, { status: "resumed" });
    default:
      sendJson(response, 404, { detail: "Not Found" });
  }
}
