import type { App } from "../../http/app-type.js";
import { secureHeaders } from "../../view/http/secure-headers.js";
import { viewRoutes } from "../../view/http/view-routes.js";
import type { ServerServices } from "../services.js";
import { SessionSource } from "./session-source.js";

/**
 * The viewer of the server's sessions under `/ui`. The page's own files are public and contain nothing of the server; its API needs
 * the admin key.
 */
export async function uiRoutes(app: App, { registry, model, origin, settings }: ServerServices): Promise<void> {
  const { ui: page } = settings;
  if (!page) return;
  await app.register(async (ui: App) => {
    secureHeaders(ui);
    const source = new SessionSource({ registry, model, origin });
    viewRoutes(ui, { source, page, base: "/ui", apiConfig: { key: "admin" } });
  });
}
