import { expect, it } from "vitest";
import { captureLog } from "../../helpers/captured-log.js";
import { until } from "../../helpers/until.js";
import { ADMIN_KEY, leasing, serve } from "./leasing.js";

async function startLogged(accessLog: boolean) {
  const { logger, lines } = captureLog();
  const { url } = await serve(await leasing(), { server: { access_log: accessLog }, logger });
  const lease = (key: string) =>
    fetch(`${url}/rollout/leases?key=hidden`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ worker_id: "private name", count: 1, held: [] }),
    });
  const requests = () => lines.filter(({ msg }) => msg === "request");
  return { lease, lines, requests };
}

it("logs one line per request of a worker, refused ones too, without query, key and body", async () => {
  const { lease, lines, requests } = await startLogged(true);
  await lease(ADMIN_KEY);
  await lease("wrong-key");
  await until(() => requests().length > 1);
  const line = { method: "POST", path: "/rollout/leases", complete: true, seconds: expect.any(Number) as number };
  expect(requests()).toEqual([
    expect.objectContaining({ ...line, status: 404 }),
    expect.objectContaining({ ...line, status: 401 }),
  ]);
  const text = JSON.stringify(lines.filter(({ msg }) => msg === "request"));
  for (const secret of ["hidden", ADMIN_KEY, "wrong-key", "private name"]) expect(text).not.toContain(secret);
});

it("logs no line per request by default", async () => {
  const { lease, requests } = await startLogged(false);
  await lease(ADMIN_KEY);
  expect(requests()).toEqual([]);
});
