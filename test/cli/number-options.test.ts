import { CommanderError } from "commander";
import { expect, it } from "vitest";
import { createProgram } from "../../src/cli/program.js";

/** A number that is not allowed is an error that names the option, the received text and the allowed values. */

const INTEGER = "an integer of at least 1";
const TOKEN = "an integer from -2147483648 to 2147483647";

/** Returns the message for arguments that are refused. */
async function refuse(args: readonly string[]): Promise<string> {
  const program = createProgram();
  for (const command of program.commands) command.configureOutput({ writeErr: () => undefined });
  const outcome: unknown = await program.parseAsync(args, { from: "user" }).catch((error: unknown) => error);
  return outcome instanceof CommanderError ? outcome.message : "not refused";
}

it.each<[command: string, option: string, values: readonly string[], allowed: string]>([
  ["rollout", "--group-size", ["0", "1.5", "many", "", "1e300"], INTEGER],
  ["rollout", "--proxy-workers", ["0", "1.5", "many", "", "1e300"], INTEGER],
  ["rollout", "--timeout", ["0", "-1", "soon", "", "Infinity"], "a number above 0"],
  ["rollout", "--write-wait", ["-1", "soon", "", "Infinity"], "a number of at least 0"],
  ["rollout", "--from-version", ["-1", "1.5", "new", ""], "an integer from 0 to 2147483647"],
  ["inspect", "--rows", ["0", "1.5", "many", "", "1e300"], INTEGER],
  ["export", "--discount", ["3", "-0.1", "NaN", "half", ""], "a number from 0 to 1"],
  ["export", "--max-length", ["0", "1.5", "long", "", "1e300"], "an integer from 1 to 2147483647"],
  ["export", "--pad-to-multiple-of", ["0", "1.5", "even", ""], "an integer from 1 to 2147483647"],
  ["export", "--pad-token-id", ["1.5", "eos", "", "1e300"], TOKEN],
])("rolltape %s %s", async (command, option, values, allowed) => {
  for (const value of values) {
    const message = await refuse([command, `${option}=${value}`]);
    expect(message).toContain(`${option} <`);
    expect(message).toContain(`argument '${value}' is invalid. Expected ${allowed}.`);
  }
});

it.each([
  ["--style", "one of individual, concat"],
  ["--pad-side", "one of left, right"],
])("rolltape export %s names the allowed words", async (option, allowed) => {
  expect(await refuse(["export", option, "3"])).toContain(`argument '3' is invalid. Expected ${allowed}.`);
});
