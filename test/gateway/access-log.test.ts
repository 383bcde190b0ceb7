import { expect, it } from "vitest";
import { captureLog } from "../helpers/captured-log.js";
import { until } from "../helpers/until.js";
import { Gateway, startWorker } from "./workers.js";

const ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALL = "/v1/chat/completions";

async function startLogged(accessLog: boolean) {
  const { logger, lines } = captureLog();
  const { url } = await startWorker("one");
  const gateway = await Gateway.start({ urls: [url] }, 60, 1 << 26, true, { logger, accessLog });
  await gateway.post("/grant_capacity", { slots: 4 });
  const { api_key: key } = (await gateway.post("/rl/start_session", { task_id: "t" })).json<{ api_key: string }>();
  const call = (path: string, body: object = { model: "m", messages: [{ role: "user", content: "private text" }] }) =>
    gateway.send(
      path,
      {
        method: "POST",
        headers: { "content-type": "application/json", traceparent: `00-${ID}-00f067aa0ba902b7-01` },
        body: JSON.stringify(body),
      },
      key,
    );
  const requests = (path: string) => lines.filter((line) => line["msg"] === "request" && line["path"] === path);
  return { gateway, key, call, lines, requests };
}

it("logs one line for a call that a worker answers, with its trace, without query, key and body", async () => {
  const { key, call, lines, requests } = await startLogged(true);
  expect((await call(`${CALL}?key=hidden`)).status).toBe(200);
  await until(() => requests(CALL).length > 0);
  expect(requests(CALL)).toEqual([
    expect.objectContaining({
      method: "POST",
      status: 200,
      complete: true,
      trace_id: ID,
      seconds: expect.any(Number) as number,
    }),
  ]);
  const text = JSON.stringify(lines);
  for (const secret of ["hidden", key, "private text"]) expect(text).not.toContain(secret);
});

it("logs what the gateway refuses itself", async () => {
  const { gateway, requests } = await startLogged(true);
  await gateway.get("/health?key=hidden", null);
  await gateway.post("/rl/start_session", { task_id: "t" }, "wrong");
  await until(() => requests("/rl/start_session").length > 1 && requests("/health").length > 0);
  expect(requests("/rl/start_session").map(({ status }) => status)).toEqual([200, 401]);
  expect(requests("/health")).toEqual([expect.objectContaining({ method: "GET", status: 200 })]);
});

it("logs no line per request by default", async () => {
  const { call, lines } = await startLogged(false);
  await call(CALL);
  expect(lines.filter(({ msg }) => msg === "request")).toEqual([]);
});
