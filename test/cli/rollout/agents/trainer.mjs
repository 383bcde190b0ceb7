// A trainer for tests. It logs the version, whether FILE is the batch, and whether FILE exists. Then it does what BEHAVIOUR says.
// Usage: trainer.mjs BEHAVIOUR LOG FILE
import { appendFileSync, existsSync } from "node:fs";

const [behaviour, log, file] = process.argv.slice(2);
const { ROLLTAPE_BATCH: batch, ROLLTAPE_VERSION: version } = process.env;
appendFileSync(log, `${JSON.stringify({ version, same: file === batch, there: existsSync(file) })}\n`);
process.stdout.write("training\n");
if (behaviour === "metrics") {
  process.stdout.write('{"metrics": {"loss": 1, "learning_rate": 1e-6, "step": 7}}\n');
  process.stdout.write('{"metrics": {"loss": 0.25}}\n{"metrics": \n{"loss": 9}\n');
}
if (behaviour === "fail") process.exit(3);
if (behaviour === "hang") setInterval(() => {}, 1000);
