// Runs one process of a job on its machine, as a Slurm step, and reports its port and its end in the job's folder.
// Usage: step-main PLAN
import { spawn } from "node:child_process";
import { hostname } from "node:os";
import { watchEnd } from "../../../support/processes/child-end.js";
import { findFreePort } from "../../free-port.js";
import { fillEnvironment, fillIn } from "../../placeholders.js";
import { toProcessEnd } from "../../process-end.js";
import { readPlan, reportStatus } from "./step-files.js";

// Slurm signals every process of a step, so the child gets the signal too. This process ignores it and waits for the
// child.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);

const plan = readPlan(process.argv[2] ?? "");
const { life } = plan;
const number = await findFreePort(plan.port);
const port = String(number);
const [file = "", ...args] = plan.command.map((text) => fillIn(text, { port }));
const child = spawn(file, args, { env: { ...process.env, ...fillEnvironment(plan.env, { port }) }, stdio: "inherit" });
const { exited } = watchEnd(child);
reportStatus(plan, {
  event: "started",
  life,
  step: process.env["SLURM_STEP_ID"] ?? "",
  port: number,
  host: hostname(),
});
const { code, text } = toProcessEnd(await exited, file);
reportStatus(plan, { event: "ended", life, code, text });
process.exitCode = code;
