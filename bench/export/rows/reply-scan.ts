import { native } from "../../../src/native/addon.js";
import type { NativeGeneration } from "../../../src/native/contract.js";
import { sized } from "../../sized.js";
import { median, seconds, takeTurns, timesFaster } from "../measure.js";
import { type RecordedReply, recordWithJson, sglangReply } from "../reply.js";
import { gigabytesPerSecond, milliseconds, report } from "../row.js";

/** Compares the scan of an engine's reply into typed arrays with `JSON.parse`, and with a recorder in JavaScript. */

const TOKENS = sized(32_768, 512);
const ROUNDS = sized(31, 2, 15);

function requireSame(generation: NativeGeneration, { ids, logprobs }: RecordedReply): void {
  const same = Buffer.compare(Buffer.from(generation.ids().buffer), Buffer.from(ids.buffer)) === 0;
  const sameLogprobs = Buffer.compare(Buffer.from(generation.logprobs().buffer), Buffer.from(logprobs.buffer)) === 0;
  if (!same || !sameLogprobs) throw new Error("the scan and JSON.parse read different tokens");
}

async function measure(what: string, body: Buffer): Promise<void> {
  let scanned = new native.Generation();
  let recorded: RecordedReply | undefined;
  let parsed: unknown;
  const text = body.toString("utf8");
  const times = await takeTurns(ROUNDS, {
    scan: () => {
      scanned = new native.Generation();
      return seconds(() => scanned.appendSglangReply(body, 0));
    },
    parse: () => seconds(() => (parsed = JSON.parse(text))),
    recorder: () => seconds(() => (recorded = recordWithJson(body))),
  });
  if (parsed === undefined || recorded === undefined) throw new Error("nothing was parsed");
  requireSame(scanned, recorded);
  const size = `${(body.length / 1e6).toFixed(1)} MB`;
  const [scan, parse, recorder] = [median(times.scan), median(times.parse), median(times.recorder)];
  const verdict = (value: number, target: number, unit: string) =>
    ({ value, target, bound: "at least", unit }) as const;
  report(
    {
      what: `reply scan, ${what}, ${size}`,
      measured: milliseconds(scan),
      reference: "",
      verdict: verdict(body.length / scan / 1e9, 1.5, " GB/s"),
    },
    {
      what: `reply scan, ${what}, ${size}`,
      measured: gigabytesPerSecond(body.length, scan),
      reference: `JSON.parse of the text ${milliseconds(parse)}`,
      verdict: verdict(timesFaster(times.scan, times.parse), 6, "x"),
    },
    {
      what: `reply scan, ${what}, ${size}`,
      measured: gigabytesPerSecond(body.length, scan),
      reference: `decode, JSON.parse, typed arrays ${milliseconds(recorder)}`,
      verdict: verdict(timesFaster(times.scan, times.recorder), 6, "x"),
    },
  );
}

await measure("32K tokens with log probabilities", sglangReply(TOKENS, 0));
await measure("32K tokens with two alternatives each", sglangReply(TOKENS, 2));
