import fastify from "fastify";
import { Registry } from "prom-client";
import { expect, it, onTestFinished } from "vitest";
import { ApiError } from "../../../src/http/errors.js";
import { type HttpRequestsOptions, httpRequests } from "../../../src/http/metrics/http-requests.js";
import { countRefusals } from "../../../src/http/metrics/refusals.js";

async function readCounter(register: Registry, name: string): Promise<[object, number][]> {
  const metrics = await register.getMetricsAsJSON();
  return (metrics.find((metric) => metric.name === name)?.values ?? []).map(({ labels, value }) => [labels, value]);
}

it("counts requests by method, pattern of the route and status, and other methods and paths together", async () => {
  const app = fastify();
  onTestFinished(() => app.close());
  app.addHttpMethod("PROPFIND");
  app.addHttpMethod("LOCK");
  const options: HttpRequestsOptions = { register: new Registry(), name: "requests_total" };
  await app.register(httpRequests, options);
  app.all("/items/:id", async () => "ok");
  app.all("/*", { config: { pattern: "/{method}" } }, async (_, reply) => reply.code(201).send("ok"));
  const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
  for (const method of methods) await app.inject({ method, url: "/items/1" });
  for (const method of ["PROPFIND", "LOCK"]) await app.inject({ method: method as "GET", url: "/items/2" });
  await app.inject("/some/path");
  expect(await readCounter(options.register, "requests_total")).toEqual([
    ...methods.map((method) => [{ method, route: "/items/:id", status: "200" }, 1]),
    [{ method: "other", route: "/items/:id", status: "200" }, 2],
    [{ method: "GET", route: "/{method}", status: "201" }, 1],
  ]);
});

it("counts paths without a route together", async () => {
  const app = fastify();
  onTestFinished(() => app.close());
  const options: HttpRequestsOptions = { register: new Registry(), name: "requests_total" };
  await app.register(httpRequests, options);
  for (const path of ["/a", "/b"]) await app.inject(path);
  expect(await readCounter(options.register, "requests_total")).toEqual([
    [{ method: "GET", route: "unmatched", status: "404" }, 2],
  ]);
});

it("counts refusals by code", async () => {
  const register = new Registry();
  const count = countRefusals("refusals_total", register);
  for (const code of ["store_full", "not_found", "store_full"] as const) count(new ApiError(code, ""));
  expect(await readCounter(register, "refusals_total")).toEqual([
    [{ code: "store_full" }, 2],
    [{ code: "not_found" }, 1],
  ]);
});
