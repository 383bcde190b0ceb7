import { createReadStream } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname } from "node:path";
import type { EpisodeLine, Overview, TokenSlice } from "../../src/view/api.js";
import { addChannels, fixtureItems } from "./fixture-channels.js";
import { fixtureEpisode, fixtureOverview, fixtureTokens, type RunShape } from "./fixtures.js";

const PAGE = new URL("../../dist/view/page/", import.meta.url);
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

/** The policy that the viewer's server sends. */
export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src blob: data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export interface FixtureServerOptions {
  readonly shape: RunShape;
  /** The server asks for this key. */
  readonly key?: string;
  /** Further pages of the overview: the server answers with the first one whose revision is higher than that of the page. */
  readonly pages?: readonly Overview[];
  /** Changes what the server has. */
  readonly overview?: (overview: Overview) => Overview;
  readonly episode?: (line: EpisodeLine, index: number) => EpisodeLine;
  readonly tokens?: (slice: TokenSlice) => TokenSlice;
  /** Tokens have channels. */
  readonly channels?: boolean;
}

export interface FixtureServer extends AsyncDisposable {
  readonly url: string;
  /** Paths that were asked, in order. */
  readonly asked: readonly string[];
  /** Answers the page's question for changes. */
  readonly change: (overview: Overview) => void;
}

/** Serves the built page with the synthetic run of a shape. */
export async function startFixtureServer(options: FixtureServerOptions): Promise<FixtureServer> {
  const asked: string[] = [];
  const waiting = new Set<ServerResponse>();
  const { shape, overview = (made) => made } = options;
  const first = overview(fixtureOverview(shape));
  const api = createApi(options, first);
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    asked.push(`${url.pathname}${url.search}`);
    if (!url.pathname.startsWith("/api/")) return serveFile(url.pathname, response);
    if (!hasKey(request, options.key))
      return sendJson(response, 401, { error: { message: "The admin key is missing or wrong." } });
    if (url.pathname === "/api/changes") return void waiting.add(response);
    const body = api(url);
    return body === undefined
      ? sendJson(response, 404, { error: { message: "Nothing is here." } })
      : sendJson(response, 200, body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    change: (changed) => {
      for (const response of waiting) sendJson(response, 200, changed);
      waiting.clear();
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function createApi(options: FixtureServerOptions, overview: Overview): (url: URL) => unknown {
  const { shape, pages = [], episode = (line) => line, tokens = (slice) => slice, channels = false } = options;
  const read = (index: number): EpisodeLine => episode(fixtureEpisode(shape, index), index);
  return ({ pathname, searchParams }) => {
    const [, , what, index, part, interaction, token] = pathname.split("/");
    if (what === "overview") {
      const after = Number(searchParams.get("after") ?? 0);
      return [overview, ...pages].find(({ revision }) => revision > after);
    }
    if (what !== "episodes") return undefined;
    if (index === undefined) return searchEpisodes(searchParams.get("text") ?? "", shape, read);
    if (part === undefined) return Number(index) < shape.episodes ? read(Number(index)) : undefined;
    const found = read(Number(index)).interactions[Number(interaction)];
    if (!found) return undefined;
    if (token !== undefined)
      return fixtureItems(fixtureTokens(found, { from: 0, count: 1e6 }), Number(token), Number(token));
    const range = { from: Number(searchParams.get("from")), count: Number(searchParams.get("count")) };
    const slice = fixtureTokens(found, range);
    return tokens(channels ? addChannels(slice, range.from) : slice);
  };
}

/** Searches few episodes, because each is made anew. */
function searchEpisodes(text: string, shape: RunShape, read: (index: number) => EpisodeLine): unknown {
  const indices = Array.from({ length: Math.min(shape.episodes, 200) }, (_, index) => index);
  const episodes = indices.filter((index) => JSON.stringify(read(index)).toLowerCase().includes(text.toLowerCase()));
  return { episodes, complete: shape.episodes <= 200 };
}

function hasKey({ headers }: IncomingMessage, key: string | undefined): boolean {
  return key === undefined || headers.authorization === `Bearer ${key}`;
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function serveFile(path: string, response: ServerResponse): void {
  const name = path === "/" ? "index.html" : path.slice(1);
  const type = TYPES[extname(name)];
  if (type === undefined || name.includes("/")) return void response.writeHead(404).end();
  response.writeHead(200, { "content-type": type, "content-security-policy": POLICY });
  createReadStream(new URL(name, PAGE)).pipe(response);
}
