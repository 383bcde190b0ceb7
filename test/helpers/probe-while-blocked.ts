import { spawnSync } from "node:child_process";

export interface ProbedAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

const SCRIPT = `
  const [url, wanted] = process.argv.slice(1);
  const answers = [];
  do {
    const reply = await fetch(url);
    answers.push({ status: reply.status, body: await reply.json() });
  } while (wanted !== "" && answers.at(-1).status !== Number(wanted));
  console.log(JSON.stringify(answers));
`;

/**
 * Blocks this thread, its event loop included, while another process sends probes.
 *
 * @param until the status at which the other process stops. Default: it sends one probe
 * @returns all answers
 */
export function probeWhileBlocked(url: string, until?: number): ProbedAnswer[] {
  const args = ["--input-type=module", "--eval", SCRIPT, url, String(until ?? "")];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (stdout === "") throw new Error(`no probe was answered: ${stderr}`);
  return JSON.parse(stdout) as ProbedAnswer[];
}
