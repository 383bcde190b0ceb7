import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { addGauge } from "../../../src/http/metrics/add-gauge.js";
import { addBuildInfo } from "../../../src/http/metrics/build-info.js";
import { scrapeProcessMetrics } from "../../../src/http/metrics/process.js";
import { packageVersion } from "../../../src/support/package-version.js";

it("the metrics of the process have no gauge that is named like a counter, and can be read by several servers", async () => {
  for (let server = 0; server < 2; server++) {
    const text = await scrapeProcessMetrics();
    expect(text).toContain("process_cpu_seconds_total ");
    expect(text).toContain("# TYPE nodejs_active_resources gauge");
    expect(text).not.toMatch(/nodejs_active_\w+_total/);
  }
});

it("the running versions are labels of a gauge", async () => {
  const register = new Registry();
  addBuildInfo(register, "build_info");
  const labels = `version="${packageVersion()}",node_version="${process.versions.node}"`;
  expect(await register.metrics()).toContain(`build_info{${labels}} 1`);
});

it("a gauge is read at each scrape", async () => {
  const register = new Registry();
  let value = 3;
  addGauge(register, "things", "Things.", () => value);
  expect(await register.metrics()).toContain("things 3");
  value = 4;
  expect(await register.metrics()).toContain("# HELP things Things.\n# TYPE things gauge\nthings 4");
});
