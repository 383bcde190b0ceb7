import { until } from "../../../test/helpers/until.js";
import { body, user } from "../../kit/bodies.js";
import { chat } from "../../kit/load.js";
import type { Row } from "../../kit/report.js";
import { sized } from "../../kit/sized.js";
import { Rig } from "../rig.js";

/** Opens many streams at once, whose engine answers late. Every stream must end with a complete answer. */

const STREAMS = sized(1000, 20);

export async function openStreams(): Promise<Row[]> {
  const rig = await Rig.start(STREAMS + 1, { enginePath: "/slow" });
  try {
    const keys: string[] = [];
    for (let i = 0; i < STREAMS; i++) keys.push(await rig.session());
    const before = await rig.metric("process_resident_memory_bytes");
    let done = 0;
    const answers = keys.map(async (key, i) => {
      const text = await chat(rig.proxy, key, body([user(`hello ${i}`)], { stream: true }));
      done++;
      return text;
    });
    let open = 0;
    let memory = 0;
    const watch = async () => {
      while (done === 0) {
        open = Math.max(open, await rig.metric("rolltape_open_streams"));
        memory = Math.max(memory, await rig.metric("process_resident_memory_bytes"));
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    };
    const [texts] = await Promise.all([Promise.all(answers), watch()]);
    await until(() => done === STREAMS);
    const whole = texts.filter((text) => text.endsWith("data: [DONE]\n\n")).length;
    if (whole < STREAMS) process.exitCode = 1;
    const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
    return [
      {
        what: `${STREAMS} streams at once, at most ${open} open: number of complete answers`,
        measured: `RSS at most ${megabytes(memory)}`,
        reference: `RSS before ${megabytes(before)}`,
        verdict: { value: whole, target: STREAMS, bound: "at least", unit: "" },
      },
    ];
  } finally {
    await rig.close();
  }
}
