import { compileTemplate, type Value } from "../../../src/model/jinja/index.js";
import { runAtOnce } from "../../../src/support/async/steps.js";

/** Compiles a template whose steps all run at once. */
export function compileAtOnce(source: string, now?: () => Date) {
  const render = compileTemplate(source, now);
  return (variables: ReadonlyMap<string, Value>): readonly string[] => runAtOnce(render(variables)).parts;
}
