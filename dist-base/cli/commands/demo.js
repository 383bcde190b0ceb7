import { runDemo } from "../demo/run-demo.js";
/** `rolltape demo`: runs a dozen episodes with the tiny model and writes their batch. Progress goes to standard error. */
export async function demo({ out }) {
    const text = await runDemo(out, (line) => process.stderr.write(`${line}\n`));
    process.stdout.write(`${text}\n`);
}
//# sourceMappingURL=demo.js.map