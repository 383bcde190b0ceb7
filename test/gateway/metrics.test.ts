import { expect, it } from "vitest";
import { type Script, startScripted } from "./scripted-worker.js";
import { Gateway } from "./workers.js";

/** `GET /metrics` of a gateway merges the metrics of its workers. */

const text =
  (...lines: string[]): Script =>
  () => ({ body: `${lines.join("\n")}\n` });

async function scrape(scripts: Readonly<Record<string, Script>>): Promise<string[]> {
  const workers = Object.entries(scripts).map(([tag, script]) => startScripted(tag, { "/metrics": script }));
  const gateway = await Gateway.start({ urls: (await Promise.all(workers)).map(({ url }) => url) });
  return (await gateway.get("/metrics", null)).raw.toString().split("\n");
}

const calls = ["# HELP calls Calls.", "# TYPE calls counter"];
const seconds = ["# HELP seconds Time.", "# TYPE seconds gauge"];

it("describes each metric once, and labels the samples with their worker", async () => {
  const lines = await scrape({
    one: text(...calls, 'calls{code="200"} 1', "calls 2", ...seconds, "seconds{} 0.5"),
    two: text(...calls, 'calls{text="} 3"} 4', "", "nothing", "# EOF"),
  });
  const begin = lines.indexOf("# HELP calls Calls.");
  expect(lines.slice(begin)).toEqual([
    ...calls,
    'calls{worker="one",code="200"} 1',
    'calls{worker="one"} 2',
    'calls{worker="two",text="} 3"} 4',
    "",
    ...seconds,
    'seconds{worker="one"} 0.5',
    "",
  ]);
});

it("has the gateway's own metrics without a label of a worker", async () => {
  const lines = await scrape({ one: () => "broken" });
  expect(lines).toContain("rolltape_gateway_waiting_requests 0");
  expect(lines.filter((line) => line.startsWith("rolltape_worker_up{"))).toEqual([
    'rolltape_worker_up{worker="one"} 1',
  ]);
});

it("leaves out a worker that refuses, and samples without a description", async () => {
  const refused: Script = () => ({ status: 403, body: [...calls, "calls 1", ""].join("\n") });
  const lines = await scrape({ one: refused, two: text("# HELP calls Calls.", "calls 1"), three: text("calls 1") });
  expect(lines.filter((line) => /\bcalls\b.*(Calls|counter|1)/.test(line))).toEqual([]);
});
