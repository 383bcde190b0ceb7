import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

const SPAWN = `
import pty, os, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))
`;

/** Runs the compiled command line on a terminal to its end. Returns its lines as a terminal shows them. */
export function runOnTerminal(args: readonly string[]): Promise<{ readonly lines: string[]; readonly raw: string }> {
  return new Promise((resolve) => {
    const child = execFile("python3", ["-c", SPAWN, process.execPath, MAIN, ...args], (_, raw) => {
      resolve({ lines: raw.split("\r\n").map(shown), raw });
    });
    // A terminal whose input is at its end would be closed.
    child.stdin?.on("error", () => {});
  });
}

/** A line is written from its beginning again after each `\r`; `ESC [K` removes what was there. */
function shown(line: string): string {
  const kept = line.slice(line.lastIndexOf("\r\x1b[K") + 1).replace("\x1b[K", "");
  return kept.replaceAll("\x1b[?25l", "").replaceAll("\x1b[?25h", "");
}
