import { expect, it, vi } from "vitest";
import { ReportingExporter } from "../../src/telemetry/reporting-exporter.js";
import type { ReadableSpan, SpanExporter } from "../../src/telemetry/sdk.js";
import { captureLog } from "../helpers/captured-log.js";

type Done = Parameters<SpanExporter["export"]>[1];

function startExporter(log = captureLog()) {
  const sender = {
    export: vi.fn<SpanExporter["export"]>(),
    shutdown: vi.fn<SpanExporter["shutdown"]>(() => Promise.resolve()),
  };
  const exporter = new ReportingExporter(sender, log.logger);
  const send = (spans: number, error?: Error) => {
    const result = { code: error ? 1 : 0, ...(error && { error }) };
    sender.export.mockImplementationOnce((_, done) => done(result));
    const batch = Array.from({ length: spans }, () => ({}) as ReadableSpan);
    const done = vi.fn<Done>();
    exporter.export(batch, done);
    expect(sender.export.mock.lastCall?.[0]).toBe(batch);
    expect(done.mock.calls).toEqual([[result]]);
  };
  return { exporter, sender, send, lines: log.lines };
}

it("logs the first failure of several, and how many spans were lost when the collector is back", () => {
  const { send, lines } = startExporter();
  const failed = { level: 40, key: "telemetry.otlp_url", why: "refused", msg: expect.any(String) as string };
  send(1);
  expect(lines).toEqual([]);
  send(3, new Error("refused"));
  send(4, new Error("refused again"));
  expect(lines).toEqual([failed]);
  send(1);
  send(1);
  expect(lines).toEqual([failed, { level: 30, key: "telemetry.otlp_url", lost: 7, msg: expect.any(String) as string }]);
  send(2, new Error("refused"));
  expect(lines.slice(2)).toEqual([failed]);
});

it("waits for the exporter that it shuts down", async () => {
  const { exporter, sender } = startExporter();
  sender.shutdown.mockRejectedValueOnce(new Error("late"));
  await expect(exporter.shutdown()).rejects.toThrow("late");
});
