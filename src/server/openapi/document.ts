/** The parts of an OpenAPI 3.1 document that are completed here. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { schemas?: Record<string, object>; responses?: Record<string, object> };
}

export interface Operation {
  operationId?: string;
  tags?: string[];
  readonly security?: readonly object[];
  readonly requestBody?: { readonly content: Record<string, Content> };
  responses: Record<string, DocumentedAnswer>;
}

export interface DocumentedAnswer {
  description?: string;
  readonly $ref?: string;
  headers?: Record<string, object>;
  content?: Record<string, Content>;
}

export interface Content {
  schema?: object;
  example?: string;
}

export const schemaRef = (name: string): { readonly $ref: string } => ({ $ref: `#/components/schemas/${name}` });
