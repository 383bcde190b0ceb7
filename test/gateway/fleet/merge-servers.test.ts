import { describe, expect, it } from "vitest";
import { mergeServers, type WeightMember } from "../../../src/gateway/weights/weight-fleet.js";

type Server = WeightMember["servers"] extends ReadonlyMap<string, infer T> ? T : never;

const URL = "http://10.0.0.1:30000";

function merge(...seen: readonly Partial<Server>[]) {
  const members = seen.map((server, index): WeightMember => {
    const listed = { url: URL, version: 1, path: null, draining: false, source: "assumed", ...server } as Server;
    const worker = { tag: `w${index}` } as WeightMember["worker"];
    return { worker, servers: new Map([[URL, listed]]), update: null, interrupted: false, paused: false, version: 0 };
  });
  return mergeServers(members);
}

describe("an engine server of several workers", () => {
  it("is listed once, and drains once it drains for all of them", () => {
    expect(merge({}, {})).toEqual([{ url: URL, version: 1, path: null, draining: false }]);
    expect(merge({ draining: true }, {})).toMatchObject([{ draining: false }]);
    expect(merge({ draining: true }, { draining: true })).toMatchObject([{ draining: true }]);
  });

  it("has the version that the best informed worker knows", () => {
    const update = { source: "update", version: 3, path: "/w" } as const;
    const known = { source: "known", version: 2 } as const;
    for (const members of [
      [update, known, {}],
      [{}, known, update],
    ])
      expect(merge(...members)).toMatchObject([{ version: 3, path: "/w" }]);
    expect(merge({}, known)).toMatchObject([{ version: 2 }]);
  });

  it("has no known version if workers that know equally well disagree", () => {
    expect(merge({ version: 2 }, { version: 1 })).toMatchObject([{ version: null, path: null }]);
    expect(merge({ path: "/a" }, { path: "/b" })).toMatchObject([{ version: null, path: null }]);
    expect(merge({ source: "known", version: 2 }, { version: 1 })).toMatchObject([{ version: 2 }]);
  });
});

it("servers with different addresses are listed in the order of the workers", () => {
  const other = "http://10.0.0.2:30000";
  const listed = { version: 1, path: null, draining: false, source: "assumed" } as const;
  const servers = new Map([URL, other].map((url) => [url, { ...listed, url }] as const));
  const member = { servers, update: null, interrupted: false, paused: false, version: 0 };
  const members = ["a", "b"].map((tag) => ({ ...member, worker: { tag } as WeightMember["worker"] }));
  expect(mergeServers(members).map(({ url }) => url)).toEqual([URL, other]);
});
