import { native } from "../../../src/native/addon.js";
import type { AskedValues, NativeGeneration, ReplyFormat } from "../../../src/native/contract.js";
import { median, processorSeconds, takeTurns } from "../../kit/measure.js";
import { gigabytesPerSecond, milliseconds, type Row } from "../../kit/report.js";
import { sized } from "../../kit/sized.js";
import { MODEL, makeExperts } from "../experts.js";
import { type ExpertReply, makeReply } from "../replies.js";

/**
 * Reads the experts of a sequence of 32K tokens. The reference finds the ends of all strings, reads the tokens, and decodes the base64 into
 * memory that is in use, with Node's decoder.
 */

const ROUNDS = sized(25, 2, 9);
const PROMPT = sized(32_256, 500);
const OUTPUTS = sized(512, 12);
/** Of a socket, as Node gives it. */
const PIECE_BYTES = 65_536;

const ASKED: AskedValues = { experts: { ...MODEL, promptLength: PROMPT, start: 0 } };
const NAMES = { vllm: "vLLM", sglang: "SGLang" } as const;

const makeGeneration = () => new native.Generation({ maxTokens: OUTPUTS });

function readWhole({ format, body }: ExpertReply, asked?: AskedValues): NativeGeneration {
  const generation = makeGeneration();
  if (format === "vllm") generation.appendVllmReply(body, 0, 0, asked);
  else generation.appendSglangReply(body, 0, asked);
  return generation;
}

/** Reads a stream. Returns the seconds of its longest piece, which other work of the event loop waits for. */
function readStream({ format, stream }: ExpertReply): { generation: NativeGeneration; longest: number } {
  const generation = makeGeneration();
  const reader = new native.ReplyStream(format, generation, 0, 0, ASKED);
  let longest = 0;
  for (let at = 0; at < stream.length; at += PIECE_BYTES) {
    const started = performance.now();
    reader.push(stream.subarray(at, at + PIECE_BYTES));
    longest = Math.max(longest, (performance.now() - started) / 1000);
  }
  const reply = reader.end();
  if (reply.hasExperts !== true) throw new Error("The stream has no experts.");
  return { generation, longest };
}

/** Adds a read call to a session, as the event loop does after each call. */
function record(generation: NativeGeneration): void {
  const session = new native.Session();
  const prompt = session.prompt([new Int32Array(PROMPT)]);
  session.record({ prompt, generation, digests: new Uint8Array(0), output: [], parent: -1 });
  session.release();
}

async function measure(format: ReplyFormat): Promise<Row[]> {
  const experts = makeExperts(PROMPT + OUTPUTS - 1);
  const reply = makeReply(format, experts, OUTPUTS);
  const decoded = Buffer.alloc(reply.text.length, 1);
  const longest: number[] = [];
  const recording: number[] = [];
  const times = await takeTurns(ROUNDS, {
    scan: () =>
      processorSeconds(() => {
        readWhole(reply);
        decoded.write(reply.text, "base64");
      }),
    whole: () => processorSeconds(() => readWhole(reply, ASKED)),
    stream: async () => {
      let read: ReturnType<typeof readStream> | undefined;
      const taken = await processorSeconds(() => {
        read = readStream(reply);
      });
      longest.push(read?.longest ?? Number.NaN);
      recording.push(await processorSeconds(() => read && record(read.generation)));
      return taken;
    },
  });
  const scan = median(times.scan);
  const size = `${(reply.text.length / 1e6).toFixed(1)} MB for ${(experts.length / 1e6).toFixed(1)} MB of experts`;
  const reference = `scan and decode ${milliseconds(scan)}, ${gigabytesPerSecond(reply.body.length, scan)}`;
  const compare = (what: string, taken: readonly number[]): Row => ({
    what: `${what}, ${size}`,
    measured: `${milliseconds(median(taken))}, ${gigabytesPerSecond(reply.body.length, median(taken))}`,
    reference,
    verdict: {
      value: median(taken.map((each, round) => each / (times.scan[round] ?? Number.NaN))),
      target: 1.5,
      bound: "at most",
      unit: "x",
    },
  });
  const whole = times.stream.map((taken, round) => taken + (recording[round + 1] ?? Number.NaN));
  return [
    compare(`reply of ${NAMES[format]}`, times.whole),
    compare(`stream of ${NAMES[format]}, all pieces`, times.stream),
    compare(`stream of ${NAMES[format]} and its recording`, whole),
    {
      what: `longest turn of the event loop: stream of ${NAMES[format]} and its recording, ${size}`,
      measured: `piece ${milliseconds(median(longest))}, recording ${milliseconds(median(recording))}`,
      reference: "",
      verdict: {
        value: 1000 * Math.max(median(longest), median(recording)),
        target: 20,
        bound: "at most",
        unit: " ms",
      },
    },
  ];
}

export async function replies(): Promise<Row[]> {
  return [...(await measure("vllm")), ...(await measure("sglang"))];
}
