import { native } from "../../src/native/addon.js";
import { generation, ids, planOptions } from "./support.js";

/**
 * Waits on standard input until its address space is limited, then requests blocks that do not fit. Prints as JSON the
 * codes of the failures, and if the session can still be exported.
 */

/** Adds two gigabytes of padding to a few tokens. */
const HUGE_PLAN = { ...planOptions, padToMultipleOf: 2 ** 27 };

const session = new native.Session();
session.record({
  prompt: session.prompt([ids(1, 2)]),
  generation: generation([3]),
  digests: native.digestMessages(["question"]),
  output: ["answer"],
});
/**
 * 30 million ids of ten digits, 330 MB in a request body. The piece is no garbage to speak of: that would make room.
 */
const piece = new Int32Array(1_000_000).fill(2 ** 31 - 1);
const longPrompt = session.prompt(Array.from({ length: 30 }, () => piece));
const packSmall = async () => (await native.planBatch([session], planOptions).pack({})).bytes.byteLength;

async function catchCode(call: () => unknown): Promise<unknown> {
  try {
    await call();
    return "no error";
  } catch (error) {
    return error instanceof Error && "code" in error ? error.code : String(error);
  }
}

// Creates the threads, and everything else that is made only once, before memory is limited.
const before = await packSmall();
process.stdout.write("ready\n");
await new Promise((resolve) => process.stdin.once("data", resolve));
process.stdin.destroy();
const plan = native.planBatch([session], HUGE_PLAN);
const codes: unknown[] = [];
for (let round = 0; round < 3; round++) codes.push(await catchCode(() => plan.pack({})));
codes.push(await catchCode(() => longPrompt.requestBody("", "")));
codes.push(await catchCode(() => plan.packJson(["", ""])));
process.stdout.write(JSON.stringify({ codes, same: (await packSmall()) === before, length: session.length }));
