import type { Document, DocumentedAnswer, Operation } from "./document.js";
import { addErrors, ERROR_SCHEMAS, errorAnswers } from "./error-answers.js";
import { NamedSchemas, nameSchemas } from "./name-schemas.js";
import { EXTRA_SCHEMAS, OPERATIONS, type OperationFacts } from "./operations.js";
import { simplifyUnions } from "./simplify-unions.js";

/**
 * Completes the document that the routes' schemas give, so that generators make good clients of it: names, tags, errors, answers
 * that are not JSON.
 *
 * @throws Error if {@link OPERATIONS} lacks a call
 */
export function completeDocument(document: Document): Document {
  const completed = simplifyUnions(document);
  const named = new NamedSchemas();
  for (const [path, operations] of Object.entries(completed.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const facts = OPERATIONS[`${method} ${path}`];
      if (!facts) throw new Error(`The API description has no operation for ${method} ${path}.`);
      nameSchemas(operation, facts, named);
      addContents(operation, facts);
      addErrors(path, operation, facts);
      Object.assign(operation, { operationId: facts.id, tags: [facts.tag] });
    }
  }
  named.addInner();
  completed.components.schemas = { ...named.list(), ...EXTRA_SCHEMAS, ...ERROR_SCHEMAS };
  completed.components.responses = errorAnswers(completed);
  return completed;
}

/** Adds the forms of the answer that no schema of the route describes. */
function addContents({ responses }: Operation, { also = {} }: OperationFacts): void {
  const answer: DocumentedAnswer = (responses["200"] ??= {});
  const contents = Object.entries(also);
  answer.description =
    contents.length === 0
      ? "Success."
      : contents.map(([type, { description }]) => `\`${type}\`: ${description}`).join("\n\n");
  for (const [type, { schema, example }] of contents) {
    answer.content = { ...answer.content, [type]: { schema, ...(example === undefined ? {} : { example }) } };
  }
}
