// Plays Slurm's programs in tests: `fake-slurm.mjs sbatch …`, `fake-slurm.mjs squeue …`. It has one job and the machines n1
// and n2, which both are this machine. Its state is in the folder $FAKE_SLURM. It behaves like Slurm 22.05 in everything that
// the scheduler depends on: srun turns SIGTERM into SIGKILL, and ends with status 0 if its machine failed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

const at = (...names) => join(process.env.FAKE_SLURM, ...names);
const read = (name) => readFileSync(at(name), "utf8").trim();
/** Writes a file by renaming, so that readers never see an incomplete file. */
const write = (name, value) => {
  const draft = at(`draft.${process.pid}`);
  writeFileSync(draft, String(value));
  renameSync(draft, at(name));
};
const [program, ...args] = process.argv.slice(2);
appendFileSync(at("calls"), `${JSON.stringify([program, ...args])}\n`);
await { sbatch, squeue, scancel, scontrol, srun, batch }[program]();

function fail(text, status = 1) {
  process.stderr.write(`${text}\n`);
  process.exit(status);
}

function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

function sbatch() {
  if (existsSync(at("refuse"))) fail(`sbatch: error: Batch job submission failed: ${read("refuse")}`);
  const groups = args.join("\n").split("\n:\n");
  write("groups", groups.length);
  if (existsSync(at("wait"))) write("state", `PENDING|${read("wait")}|`);
  else {
    write("state", "RUNNING|None|n[1-2]");
    const output = args.find((option) => option.startsWith("--output=")).slice("--output=".length);
    spawn(process.execPath, [process.argv[1], "batch", args.at(-1), output], {
      detached: true,
      stdio: "ignore",
    }).unref();
  }
  process.stdout.write("7;cluster\n");
}

/** Runs the job's script on its first machine, and again after each requeue. */
async function batch() {
  const [script, output] = args;
  const groups = Number(read("groups"));
  const het = Array.from({ length: groups }, (_, i) => [
    [`SLURM_JOB_ID_HET_GROUP_${i}`, String(7 + i)],
    [`SLURM_JOB_NODELIST_HET_GROUP_${i}`, `n${i + 1}`],
  ]);
  const machines = groups > 1 ? het.flat() : [["SLURM_JOB_NODELIST", "n1,n2"]];
  for (let restart = 0; ; restart++) {
    const env = { ...process.env, SLURM_JOB_ID: "7", ...Object.fromEntries(machines) };
    if (restart > 0) env.SLURM_RESTART_COUNT = String(restart);
    const child = spawn(script, { env, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => appendFileSync(output, text));
    write("batch.pid", child.pid);
    const [code] = await once(child, "close");
    killSteps();
    if (!existsSync(at("requeue"))) {
      if (!read("state").startsWith("CANCELLED"))
        write("state", code === 0 ? "COMPLETED|None|n1" : "FAILED|NonZeroExitCode|n1");
      return;
    }
    rmSync(at("requeue"));
    write("state", "RUNNING|None|n[1-2]");
  }
}

function killSteps() {
  for (const name of existsSync(at("steps")) ? readdirSync(at("steps")) : [])
    kill(-Number(read(`steps/${name}`)), "SIGKILL");
}

function squeue() {
  if (existsSync(at("away"))) {
    const times = Number(read("away"));
    if (times > 1) write("away", times - 1);
    else rmSync(at("away"));
    fail("slurm_load_jobs error: Unable to contact slurm controller (connect failure)");
  }
  if (!existsSync(at("state")) || read("state") === "") fail("slurm_load_jobs error: Invalid job id specified");
  process.stdout.write(`${read("state")}\n`.repeat(Number(read("groups"))));
}

function scancel() {
  const target = args.at(-1);
  if (args.includes("--batch")) {
    if (existsSync(at("deaf"))) fail("scancel: error: Kill job error on job id 7: Job can not be altered now");
    kill(Number(read("batch.pid")), "SIGTERM");
  } else if (target.includes(".")) {
    const step = target.split(".")[1];
    kill(-Number(read(`steps/${step}`)), "SIGTERM");
    // Slurm fails in the same way if a machine of the job has no process of the step.
    fail(`scancel: error: Kill job error on job step id ${target}: Invalid job id specified`);
  } else {
    write("state", "CANCELLED|None|");
    killSteps();
    if (existsSync(at("batch.pid"))) kill(Number(read("batch.pid")), "SIGKILL");
  }
}

function scontrol() {
  const nodes = args.at(-1).split(",");
  if (args.includes("hostnames")) process.stdout.write(`${nodes.join("\n")}\n`);
  else process.stdout.write(nodes.map((node) => `NodeName=${node} Arch=x86_64 NodeAddr=127.0.0.1 Port=1 \n`).join(""));
}

async function srun() {
  const command = args.slice(args.findIndex((arg) => !arg.startsWith("-")));
  const node = args.find((option) => option.startsWith("--nodelist=")).slice("--nodelist=".length);
  const down = () => existsSync(at(`down-${node}`));
  if (down())
    fail(`srun: error: Task launch for StepId=7.0 failed on node ${node}: Communication connection failure`, 233);
  const step = takeStep();
  const env = { ...process.env, SLURM_STEP_ID: String(step), SLURMD_NODENAME: node };
  const child = spawn(command[0], command.slice(1), { env, stdio: "inherit", detached: true });
  write(`steps/${step}`, child.pid);
  process.on("SIGTERM", () => {
    process.stderr.write("srun: forcing job termination\n");
    kill(-child.pid, "SIGKILL");
  });
  const [code, signal] = await once(child, "exit");
  kill(-child.pid, "SIGKILL");
  if (down()) fail(`srun: error: Node failure on ${node}`, 0);
  if (code !== 0) fail(`srun: error: ${node}: task 0: ${signal ?? `Exited with exit code ${code}`}`, code ?? 137);
}

/** Returns the next step number. Two steps that start at the same time get different numbers. */
function takeStep() {
  mkdirSync(at("steps"), { recursive: true });
  for (let step = 0; ; step++) {
    try {
      writeFileSync(at("steps", String(step)), "0", { flag: "wx" });
      return step;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
  }
}
