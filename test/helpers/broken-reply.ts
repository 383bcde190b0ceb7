import type { ServerResponse } from "node:http";
import { sendJson, sendText } from "./sglang/context.js";
import type { Fault } from "./sglang/protocol.js";

/** Sends the reply of a fault that needs no generation. Returns false for other faults. */
export function answerBroken(fault: Fault, response: ServerResponse): boolean {
  if (fault.kind === "hang") return true;
  if (fault.kind === "status") {
    if (fault.retryAfter !== undefined) response.setHeader("retry-after", fault.retryAfter);
    sendJson(response, fault.status, fault.body ?? { object: "error", message: "Internal Server Error", code: 500 });
    return true;
  }
  if (fault.kind === "reply") {
    sendText(response, 200, typeof fault.body === "string" ? fault.body : JSON.stringify(fault.body));
    return true;
  }
  if (fault.kind === "close-before-headers") {
    if (fault.reset) response.socket?.resetAndDestroy();
    else response.socket?.destroy();
    return true;
  }
  if (fault.kind === "close-after-headers") {
    response.writeHead(200, { "content-type": "application/json", "content-length": 1000 });
    response.write('{"output_ids":[1,2', () => response.socket?.destroy());
    return true;
  }
  return false;
}
