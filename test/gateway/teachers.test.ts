import { expect, onTestFinished, test } from "vitest";
import { readSafetensors } from "../helpers/safetensors.js";
import { expectScores, numbers, teachersOf } from "../helpers/teacher-batch.js";
import { startTeacherServer } from "../helpers/teacher-server.js";
import { Gateway, startWorker } from "./workers.js";

async function startTeacher() {
  const server = await startTeacherServer("sglang");
  onTestFinished(() => server.close());
  return server;
}

const settingsOf = (url: string) => ({
  teachers: [
    {
      name: "big",
      type: "sglang" as const,
      urls: [url],
      topLogprobs: 0,
      maxInflight: 4,
      timeoutSeconds: 0.3,
      atEnd: false,
    },
  ],
});

test("a batch of several workers has the scores that each worker's teacher gave, and names the sessions without", async () => {
  const [teacher, down] = [await startTeacher(), await startTeacher()];
  const workers = [
    await startWorker("one", { settings: settingsOf(teacher.url) }),
    await startWorker("two", { settings: settingsOf(down.url) }),
  ];
  const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
  const ids: string[] = [];
  for (const worker of workers) {
    const session = await worker.proxy.session();
    await worker.proxy.turn(session, [{ role: "user", content: "one" }]);
    await worker.proxy.end(session);
    ids.push(session.id);
  }
  const fields = { session_ids: ids, layout: "packed", style: "individual" };
  down.status = 503;
  const partly = await gateway.post("/export_batch", fields);
  expect(partly.refusal).toBe("200");
  const first = readSafetensors(partly.raw);
  expect(teachersOf(first)).toEqual({ big: { logprobs: "raw", unscored: [ids[1]] } });
  const [, end = 0] = numbers(first, "cu_seqlens");
  expect(numbers(first, "teacher_big_logprobs_mask").slice(1, end)).toEqual(Array<number>(end - 1).fill(1));
  expect(numbers(first, "teacher_big_logprobs_mask").slice(end)).not.toContain(1);

  down.status = undefined;
  const batch = readSafetensors((await gateway.post("/export_batch", fields)).raw);
  expectScores(batch);
  expect(teachersOf(batch)).toEqual({ big: { logprobs: "raw", unscored: [] } });
});
