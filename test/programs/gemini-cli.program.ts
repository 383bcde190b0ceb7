import { describeProgram } from "./support/describe-program.js";
import type { ProgramCommand } from "./support/run-program.js";
import type { ProgramContext } from "./support/run-task.js";

/** Gemini CLI speaks only Gemini's API, below `/v1beta`. */
const configure =
  (model: readonly string[]) =>
  ({ url, key, request, workspace, resumes }: ProgramContext): ProgramCommand => {
    // Without this setting, the address selects an authentication method that the program then refuses.
    workspace.configure(".gemini/settings.json", { security: { auth: { selectedType: "gemini-api-key" } } });
    return {
      args: ["--yolo", "--skip-trust", ...model, ...(resumes ? ["--resume", "latest"] : []), "-p", request],
      env: { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url },
    };
  };

describeProgram({
  package: "@google/gemini-cli",
  command: "gemini",
  configurations: { "a named model": configure(["-m", "qwen"]), "its own choice of models": configure([]) },
  // Its system prompt lists its skills, in an order that can differ between two processes.
  traits: { resumedChanges: [[], ["system prompt"]] },
});
