// Uses every class of the addon, with success and with errors, and ends: for a leak checker, which looks at exit.
// usage: node scripts/native-leaks.mjs path/to/rolltape.node
import { createRequire } from "node:module";
import { resolve } from "node:path";

const native = createRequire(import.meta.url)(resolve(process.argv[2]));
const options = {
  style: "concat",
  discount: 0.5,
  onMismatch: "split",
  padTokenId: 0,
  padSide: "right",
  padToMultipleOf: 8,
  maxLength: 0,
  overflow: "error",
};
const reply = Buffer.from(
  '{"meta_info":{"id":"x","output_token_logprobs":[[-1,2,null]],"output_top_logprobs":[[[-1,2,null]]],' +
    '"finish_reason":{"type":"stop","matched":"a stop string that is longer than any small buffer"}}}',
);

/** Both outcomes are fine here. */
async function attempt(call) {
  try {
    return await call();
  } catch (error) {
    if (!String(error.code).startsWith("ERR_")) throw error;
    return undefined;
  }
}

async function episode() {
  const session = new native.Session();
  for (let turn = 0; turn < 4; turn++) {
    const generation = new native.Generation();
    generation.append(new Int32Array(100), new Float32Array(100), turn);
    generation.appendSglangReply(reply, 1);
    await generation.appendSglangReplyAsync(reply, 1);
    await attempt(() => generation.appendSglangReply(reply.subarray(0, 90), 1));
    await attempt(() => generation.appendSglangReplyAsync(reply.subarray(0, 90), 1));
    generation.top();
    const prompt = session.prompt([new Int32Array(50)], turn === 0 ? undefined : turn - 1);
    prompt.requestBody("{", "}", generation);
    const digests = native.digestMessages(["a", "b"].slice(0, turn));
    await attempt(() => session.record({ prompt, generation, digests, output: ["x"], parent: 99 }));
    session.record({ prompt, generation, digests, output: ["x"], parent: turn - 1 });
    session.setReward(turn, 1);
  }
  const copy = new native.Session(new Uint8Array(16));
  copy.restore([0, 1, 2].map((index) => session.serialize(index)));
  await attempt(() => copy.restore([session.serialize(3).subarray(1)]));
  const plan = native.planBatch([session, session], options);
  const batch = await plan.pack({ rows: "[]" });
  const kept = await plan.pack({});
  await attempt(() => plan.pack({ rows: 1 }));
  await attempt(() => plan.packJson(["too few"]));
  await plan.packJson(["[", ",", "]"]);
  batch.release();
  return kept;
}

const kept = [];
for (let round = 0; round < 20; round++) kept.push(await episode());
