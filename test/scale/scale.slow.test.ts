import { expect, it } from "vitest";
import { hasHaproxy } from "../helpers/haproxy.js";
import { hasNamespaces } from "../helpers/machines.js";
import { hasPostgres } from "../helpers/postgres-server.js";
import { installSeaweed } from "../helpers/seaweed.js";
import { runScale } from "./run-scale.js";

const seaweed = installSeaweed() ?? "";

it.skipIf(!hasNamespaces || !hasPostgres || !hasHaproxy || seaweed === "")(
  "accepts every task once while HAProxy and the proxies are turned off one after the other",
  { timeout: 400_000 },
  async () => {
    const problems = await runScale({
      tasks: 150,
      seed: 1,
      only: "proxy",
      seaweed,
      limitSeconds: 180,
      report: () => {},
    });
    expect(problems).toEqual([]);
  },
);
