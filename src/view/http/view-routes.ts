import type { FastifyReply } from "fastify";
import { z } from "zod";
import type { App } from "../../http/app-type.js";
import { disconnectSignal } from "../../http/disconnect.js";
import { ApiError } from "../../http/errors.js";
import type { Source } from "../api.js";
import { MAX_TOKENS } from "../tokens/token-slice.js";
import type { PageFiles } from "./page-files.js";
import { sendImage } from "./send-image.js";

export interface ViewRoutesOptions {
  readonly page: PageFiles;
  readonly source: Source;
  /** Beginning of all paths, such as `/ui`. Default: none. */
  readonly base?: string;
  /** Settings of the routes of the API, such as the key that they require. */
  readonly apiConfig?: object;
  /** Settings of the routes of the page's files. */
  readonly pageConfig?: object;
}

const index = z.coerce.number().pipe(z.int().min(0));
const episodeParams = z.object({ episode: index });
const tokenParams = z.object({ episode: index, interaction: index });
const itemsParams = tokenParams.extend({ token: index });
const imageParams = z.object({ episode: index, sha256: z.string().regex(/^[0-9a-f]{64}$/) });
const tokenQuery = z.object({
  from: index.default(0),
  count: z.coerce.number().pipe(z.int().min(0).max(MAX_TOKENS)).default(MAX_TOKENS),
});
const overviewQuery = z.object({ after: index.default(0) });
const changesQuery = z.object({ after: index });
const MAX_TEXT = 1000;
const searchQuery = z.object({ text: z.string().min(1).max(MAX_TEXT) });

/** Registers the routes of the page's files and of its API. */
export function viewRoutes(app: App, options: ViewRoutesOptions): void {
  pageRoutes(app, options);
  apiRoutes(app, options);
}

function pageRoutes(app: App, { page, base = "", pageConfig = {} }: ViewRoutesOptions): void {
  const send = (reply: FastifyReply, name: string) => {
    const file = page.get(name);
    if (!file) throw new ApiError("not_found", "The page has no such file.");
    return reply.type(file.type).send(file.content);
  };
  app.get(`${base}/`, { config: pageConfig, schema: { hide: true } }, async ({ raw }, reply) => {
    // The page's own addresses are relative to a path that ends with a slash.
    if (base !== "" && raw.url?.split("?", 1)[0] === base) return reply.redirect(`${base}/`);
    return send(reply, "index.html");
  });
  for (const name of page.keys()) {
    app.get(`${base}/${name}`, { config: pageConfig, schema: { hide: true } }, async (_, reply) => send(reply, name));
  }
}

function apiRoutes(app: App, { source, base = "", apiConfig: config = {} }: ViewRoutesOptions): void {
  const api = `${base}/api`;

  app.get(`${api}/overview`, { config, schema: { hide: true, querystring: overviewQuery } }, ({ query }) =>
    source.overview(query.after),
  );

  app.get(`${api}/changes`, { config, schema: { hide: true, querystring: changesQuery } }, ({ query }, reply) => {
    if (!source.changes) throw new ApiError("not_found", "This source does not change.");
    return source.changes(query.after, disconnectSignal(reply));
  });

  app.get(`${api}/episodes`, { config, schema: { hide: true, querystring: searchQuery } }, ({ query }, reply) =>
    source.search(query.text, disconnectSignal(reply)),
  );

  app.get(`${api}/episodes/:episode`, { config, schema: { hide: true, params: episodeParams } }, ({ params }) =>
    source.episode(params.episode),
  );

  app.get(
    `${api}/episodes/:episode/images/:sha256`,
    { config, schema: { hide: true, params: imageParams } },
    async ({ params }, reply) => sendImage(reply, await source.image(params)),
  );

  app.get(
    `${api}/episodes/:episode/tokens/:interaction`,
    { config, schema: { hide: true, params: tokenParams, querystring: tokenQuery } },
    ({ params, query }) => source.tokens({ ...params, ...query }),
  );
  app.get(
    `${api}/episodes/:episode/tokens/:interaction/:token`,
    { config, schema: { hide: true, params: itemsParams } },
    ({ params }) => {
      if (!source.items) throw new ApiError("not_found", "This source has no items of channels.");
      return source.items(params);
    },
  );
}
