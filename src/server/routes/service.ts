import { z } from "zod";
import { PROBE_PATHS } from "../../admin-api/probe-paths.js";
import type { App } from "../../http/app-type.js";
import { sendStatusPage, wantsPage } from "../../http/status-page.js";
import { packageVersion } from "../../support/package-version.js";
import { health, readReadiness } from "../readiness.js";
import type { ServerServices } from "../services.js";

const alive = z.object({ status: z.literal("ok") });

/** Probes, metrics and the OpenAPI description. */
export function serviceRoutes(app: App, services: ServerServices): void {
  // A lost engine must not make an orchestrator end a process that holds sessions: the engine may come back, they do not.
  app.get("/livez", { schema: { summary: "Liveness", response: { 200: alive } } }, async () => ({
    status: "ok" as const,
  }));

  for (const path of PROBE_PATHS) {
    app.get(path, { schema: { hide: true, response: { 200: alive } } }, async (request, reply) => {
      if (path !== "/" || !wantsPage(request)) return { status: "ok" as const };
      const { body } = await readReadiness(services);
      const hasViewer = services.settings.ui !== undefined;
      return sendStatusPage(reply, { version: packageVersion(), state: body.status, hasViewer });
    });
  }

  for (const path of ["/readyz", "/health"]) {
    app.get(path, { schema: { summary: "Readiness", response: { 200: health, 503: health } } }, async (_, reply) => {
      const { statusCode, body } = await readReadiness(services);
      return reply.code(statusCode).send(body);
    });
  }

  const scrapeKey = services.settings.publicMetrics ? "none" : "admin";
  app.get("/metrics", { config: { key: scrapeKey }, schema: { summary: "Prometheus metrics" } }, async (_, reply) => {
    return reply.type(services.metrics.registry.contentType).send(await services.metrics.scrape());
  });

  app.get("/openapi.json", { config: { key: scrapeKey }, schema: { hide: true } }, async () => app.swagger());
}
