import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

const SPAWN = `
import pty, os, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))
`;

/** Runs the compiled command line on a terminal until it ends. Returns the lines that the terminal shows. */
export function runOnTerminal(args: readonly string[]): Promise<{ readonly lines: string[]; readonly raw: string }> {
  return new Promise((resolve) => {
    const child = execFile("python3", ["-c", SPAWN, process.execPath, MAIN, ...args], (_, raw) => {
      resolve({ lines: raw.split("\r\n").map(shown), raw });
    });
    // The input stays open, because a terminal closes at the end of its input.
    child.stdin?.on("error", () => {});
  });
}

/** Returns what a line shows at its end. After `\r` it is overwritten from its beginning; `ESC [K` clears it. */
function shown(line: string): string {
  const kept = line.slice(line.lastIndexOf("\r\x1b[K") + 1).replace("\x1b[K", "");
  return kept.replaceAll("\x1b[?25l", "").replaceAll("\x1b[?25h", "");
}
