import type { Tool } from "../../../conversation/message.js";
import type { Family } from "../family.js";
import { randomCallId } from "../message/pending-call.js";
import { isJson } from "../reader/json-scanner.js";
import type { Step } from "../reader/output-cursor.js";
import { parsePythonLiteral } from "../reader/python-literal.js";
import { constant, type Format, oneOf, optional, regex, sequence, tag } from "../structure/format.js";
import { listParameters, type Parameter } from "../structure/parameters.js";
import { type CallContext, finishCall, newCall } from "../syntax/call-syntax.js";
import { readPythonCall } from "../syntax/python-call.js";

const SECTION = { begin: "<function_calls>", end: "</function_calls>" };

/**
 * Olmo 3: Python calls between tags, one a line. The template writes values as JSON, models also as Python literals.
 * Source: the models' chat templates.
 */
export const olmo3 = {
  name: "olmo3",
  calls: {
    docs: {
      models: "Olmo 3",
      call: '`<function_calls>f(a=1, b="x")</function_calls>`, a call a line',
      arguments: "Python",
    },
    detection: { template: [SECTION.begin] },
    syntax: { markers: [SECTION.begin, SECTION.end], read },
    structure: {
      trigger: SECTION.begin,
      section: SECTION,
      list: { separator: "\n" },
      describeCall: (tool) => tag(`${tool.function.name}(`, describeKeywordArguments(tool), ")"),
    },
  },
} as const satisfies Family;

function* read(context: CallContext): Step<void> {
  const { reader, out } = context;
  const opener = reader.markers([SECTION.begin]);
  while ((yield* reader.until(opener, out.text)) !== undefined) {
    reader.startRecording();
    reader.skip(SECTION.begin);
    yield* readSection(context);
  }
}

/** Reads calls up to the end of the section or to the first malformed one. Recording is on. */
function* readSection(context: CallContext): Step<void> {
  const { reader, out } = context;
  for (;;) {
    const call = newCall(context, randomCallId);
    const isWhole = yield* readPythonCall(context, call, { isMarked: true, toJson });
    yield* finishCall(context, call, isWhole, [SECTION.begin, SECTION.end]);
    if (!isWhole) {
      if (yield* reader.accept(SECTION.end)) out.text(SECTION.end);
      return;
    }
    reader.startRecording();
    yield* reader.accept(",");
    yield* reader.skipSpace();
    const isClosed = yield* reader.accept(SECTION.end);
    if (isClosed || (yield* reader.at(SECTION.begin)) || !(yield* reader.ready())) {
      reader.endRecording();
      out.markBoundary();
      return;
    }
  }
}

/** JSON keeps its spelling. */
const toJson = (value: string): string | undefined => (isJson(value) ? value : parsePythonLiteral(value));

/** Strings, and any other text without quotes and parentheses. */
const ANY_ARGUMENTS = regex(`("([^"\\\\\\n]|\\\\.)*"|'([^'\\\\\\n]|\\\\.)*'|[^"'()])*`);

/** Describes keyword arguments in the order of the tool's schema: `a=1, b="x"`, with values in JSON. */
function describeKeywordArguments(tool: Tool): Format {
  const parameters = listParameters(tool);
  return parameters === undefined ? ANY_ARGUMENTS : describeFirst(parameters);
}

/** Every argument but the first has a comma before it. Any argument can be the first if all before it are optional. */
function describeFirst(parameters: readonly Parameter[]): Format {
  const [first, ...rest] = parameters;
  if (first === undefined) return sequence([]);
  const list = sequence([write(first), ...rest.map(describeFollowing)]);
  return first.isRequired ? list : oneOf([list, describeFirst(rest)]);
}

function describeFollowing(parameter: Parameter): Format {
  const format = sequence([constant(", "), write(parameter)]);
  return parameter.isRequired ? format : optional(format);
}

const write = ({ key, value }: Parameter): Format => sequence([constant(`${key}=`), value]);
