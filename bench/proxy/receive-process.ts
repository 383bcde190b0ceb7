import { serveUntilTerminated } from "../kit/processes.js";

/** A Node server that receives each body into one buffer, and does nothing with it. */
serveUntilTerminated((request, response) => {
  const body = Buffer.allocUnsafeSlow(Number(request.headers["content-length"] ?? 0));
  let length = 0;
  request.on("data", (chunk: Buffer) => {
    length += chunk.copy(body, length);
  });
  request.on("end", () => response.end(String(length)));
});
