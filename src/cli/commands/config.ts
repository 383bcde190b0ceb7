import { Document, isScalar, isSeq, visit } from "yaml";
import { findChooser, findUsers, readSources, redact, resolveConfig, TEMPLATE_TYPE } from "../../config/index.js";
import type { ServeOptions } from "../config-options.js";

/**
 * `rolltape config`: prints the resolved configuration as YAML, with secret keys hidden. Comments of values that are not
 * defaults say where they came from and which commands use them.
 */
export function printConfig(overrides: readonly string[], { config: file, startedBy }: ServeOptions): void {
  const sources = { file, overrides };
  const config = resolveConfig(sources);
  const chooser = findChooser(startedBy, sources);
  const findSource = readSources(sources);
  const document = new Document(redact(config));
  visit(document, {
    Pair: (_, { key, value }, parents) => {
      const names = [...parents.flatMap((parent) => ("key" in parent ? [parent.key] : [])), key];
      const path = names.map(String).join(".");
      const source = findSource(path);
      const comment = source && ` ${source}; used by ${findUsers(path).join(", ")}`;
      if (isSeq(value) && comment !== undefined) value.commentBefore = comment;
      if (!isScalar(value)) return;
      if (comment !== undefined) value.comment = comment;
      if (path !== TEMPLATE_TYPE || chooser === undefined) return;
      value.value = "concat";
      value.comment = ` ${chooser}; hf if the chat template of the model does not allow concat`;
    },
  });
  process.stdout.write(document.toString());
}
