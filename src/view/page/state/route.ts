import { isRangeKey, isValueKey } from "./fields.js";
import { type Filters, NO_FILTERS } from "./filters.js";
import { formatRange, parseRange } from "./range.js";
import { formatSort, parseSort, type Sort, UNSORTED } from "./sort.js";

/** Filters and order of the list. Views of single episodes have them, too, so that Back returns to the same list. */
export interface Query {
  readonly filters: Filters;
  readonly sort: Sort;
}

/** A view of the page. It is kept in the fragment of the address, which browsers do not send to servers. */
export type Route =
  | { readonly view: "overview" }
  | { readonly view: "groups" }
  | ({ readonly view: "episodes" } & Query)
  | ({ readonly view: "episode"; readonly episode: number; readonly interaction: number | null } & Query)
  | ({ readonly view: "compare"; readonly left: number; readonly right: number } & Query);

const NO_QUERY: Query = { filters: NO_FILTERS, sort: UNSORTED };

/** Returns the fragment of a route, with its `#`. */
export function formatRoute(route: Route): string {
  switch (route.view) {
    case "overview":
      return "#/";
    case "groups":
      return "#/groups";
    case "episodes":
      return `#/episodes${formatQuery(route)}`;
    case "episode": {
      const interaction = route.interaction === null ? [] : [["call", String(route.interaction)] as const];
      return `#/episodes/${route.episode}${formatQuery(route, interaction)}`;
    }
    case "compare":
      return `#/compare/${route.left}/${route.right}${formatQuery(route)}`;
  }
}

/** Reads a fragment. An unknown one opens the overview. */
export function parseRoute(fragment: string): Route {
  const [path, search] = splitOnce(fragment.replace(/^#/, ""), "?");
  const [, view = "", first, second] = path.split("/");
  const parameters = new URLSearchParams(search);
  if (view === "groups") return { view };
  if (view === "episodes" && first === undefined) return { view, ...parseQuery(parameters) };
  if (view === "episodes" && isIndex(first)) {
    const call = parameters.get("call") ?? undefined;
    const interaction = isIndex(call) ? Number(call) : null;
    return { view: "episode", episode: Number(first), interaction, ...parseQuery(parameters) };
  }
  if (view === "compare" && isIndex(first) && isIndex(second)) {
    return { view, left: Number(first), right: Number(second), ...parseQuery(parameters) };
  }
  return { view: "overview" };
}

/** Returns the filters and order of a route; the defaults if it has none. */
export const queryOf = (route: Route): Query =>
  "filters" in route ? { filters: route.filters, sort: route.sort } : NO_QUERY;

/** Returns the address of the list with these filters. */
export function listLink(filters: Partial<Filters>, sort: Sort = UNSORTED): string {
  return formatRoute({ view: "episodes", filters: { ...NO_FILTERS, ...filters }, sort });
}

/** Returns the address of an episode. `query` may be a route of another view, so its other fields are not used. */
export function episodeLink(
  episode: number,
  { filters, sort }: Query = NO_QUERY,
  interaction: number | null = null,
): string {
  return formatRoute({ view: "episode", episode, interaction, filters, sort });
}

function formatQuery({ filters, sort }: Query, more: readonly (readonly [string, string])[] = []): string {
  const parameters = new URLSearchParams();
  if (filters.text) parameters.set("q", filters.text);
  for (const [key, value] of Object.entries(filters.values)) parameters.set(key, value);
  for (const [key, range] of Object.entries(filters.ranges)) parameters.set(key, formatRange(range));
  if (sort.key !== UNSORTED.key || sort.descending) parameters.set("sort", formatSort(sort));
  for (const [key, value] of more) parameters.set(key, value);
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}

function parseQuery(parameters: URLSearchParams): Query {
  const values: Record<string, string> = {};
  const ranges: Record<string, ReturnType<typeof parseRange>> = {};
  for (const [key, value] of parameters) {
    if (isValueKey(key)) values[key] = value;
    const range = isRangeKey(key) ? parseRange(value) : undefined;
    if (range) ranges[key] = range;
  }
  const text = parameters.get("q");
  const sort = parseSort(parameters.get("sort") ?? "");
  return { filters: { ...(text && { text }), values, ranges: ranges as Filters["ranges"] }, sort };
}

const isIndex = (text: string | undefined): text is string => text !== undefined && /^\d{1,9}$/.test(text);

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
