import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { ReadJob } from "./body-reader.js";

/** Sends the requests that it receives, and reports the status of each once its whole body is read. */

async function post({ url, body, key }: ReadJob): Promise<number | undefined> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  const call = request(url, { method: "POST", headers });
  call.end(body);
  const [response] = (await once(call, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "end");
  return response.statusCode;
}

process.on("message", (job: ReadJob) => void post(job).then((status) => process.send?.(status)));
