import { native } from "../../src/native/addon.js";
import { generation, ids, planOptions } from "./support.js";

/**
 * Creates, records, exports and releases 10,000 sessions. Every other one is left to the garbage collector. Prints the
 * resident bytes after each tenth of the cycles.
 */

const CYCLES = 10_000;
const reply = Buffer.from(
  JSON.stringify({
    meta_info: {
      id: "a request id that is longer than any small string",
      output_token_logprobs: Array.from({ length: 300 }, (_, id) => [-id / 16, id, null]),
      output_top_logprobs: Array.from({ length: 300 }, (_, id) => [[-id / 16, id, null]]),
    },
  }),
);

async function attempt(call: () => unknown): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
  }
}

async function cycle(number: number): Promise<void> {
  const session = new native.Session();
  for (let turn = 0; turn < 3; turn++) {
    const made = generation([1, 2, 3]);
    made.appendSglangReply(reply, turn);
    if (turn === 2) await made.appendSglangReplyAsync(reply, turn);
    await attempt(() => made.appendSglangReply(reply.subarray(0, 2000), turn));
    const prompt = session.prompt([new Int32Array(500)], turn === 0 ? undefined : turn - 1);
    prompt.requestBody("{", "}", made);
    const digests = native.digestMessages(["question", "answer", "more"].slice(0, turn + 1));
    session.record({ prompt, generation: made, digests, output: ["answer"] });
  }
  session.setReward(2, 1);
  const copy = new native.Session();
  copy.restore([0, 1, 2].map((index) => session.serialize(index)));
  await attempt(() => copy.restore([session.serialize(2)]));
  const parts = [session.serialize(0), session.serialize(1)];
  await new native.Session().restoreAsync(parts);
  await attempt(() => new native.Session().restoreAsync(parts.slice(1)));
  const plan = native.planBatch([session], planOptions);
  const batch = await plan.pack({ rows: "[]" });
  await plan.packJson(["[", ",", ",", "]"]);
  await attempt(() => session.prompt([ids(-1)]));
  await attempt(() => plan.packJson([]));
  if (number % 2 === 0) {
    batch.release();
    session.release();
  }
}

const resident: number[] = [];
for (let number = 1; number <= CYCLES; number++) {
  await cycle(number);
  if (number % 100 === 0) globalThis.gc?.();
  if (number % (CYCLES / 10) === 0) resident.push(process.memoryUsage.rss());
}
process.stdout.write(JSON.stringify(resident));
