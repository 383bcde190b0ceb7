import { type ChildProcess, spawn } from "node:child_process";

/** Time that a group has to end in order after SIGTERM. Then it is killed. */
const GRACE_SECONDS = 30;

/**
 * Reads `+ GROUP` and `- GROUP` until its input ends, which is when the process that writes it has ended, however it ended. Then ends
 * the groups that are left. Those that have ended are dropped each second, because their ids may be used again.
 */
const SCRIPT = `
groups=
without() {
  rest=
  for each in $groups; do [ "$each" = "$1" ] || rest="$rest $each"; done
  groups=$rest
}
while read -r change group; do
  without "$group"
  [ "$change" = + ] && groups="$groups $group"
done
signal=TERM
seconds=0
while [ -n "$groups" ]; do
  for group in $groups; do kill -s $signal -- "-$group" 2>/dev/null || without "$group"; done
  [ -n "$groups" ] && sleep 1
  seconds=$((seconds + 1))
  signal=0
  [ "$seconds" -ge ${GRACE_SECONDS} ] && signal=KILL
done
`;

/**
 * A process that ends process groups if this process is killed. A process that is killed with SIGKILL cannot end its children, and
 * Linux and macOS share no death signal. A pipe to another process works on both: the system closes it.
 */
export class GroupReaper {
  readonly #child: ChildProcess;
  #isAlive = true;

  constructor() {
    // Its own group, so that a signal to the group of this process does not reach it.
    this.#child = spawn("/bin/sh", ["-c", SCRIPT, "rolltape-reaper"], {
      detached: true,
      cwd: "/",
      stdio: ["pipe", "ignore", "ignore"],
    });
    const gone = () => void (this.#isAlive = false);
    this.#child.on("error", gone).on("exit", gone);
    this.#child.stdin?.on("error", gone);
    this.#child.unref();
    (this.#child.stdin as (NodeJS.WritableStream & { unref?: () => void }) | null)?.unref?.();
  }

  /** False if it has ended, and ends no groups any more. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  add(group: number): void {
    this.#write(`+ ${group}\n`);
  }

  remove(group: number): void {
    this.#write(`- ${group}\n`);
  }

  #write(line: string): void {
    // Without open files left, Node creates no stream and reports the error later.
    if (this.#isAlive) this.#child.stdin?.write(line);
  }
}
