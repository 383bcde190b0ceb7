import swagger from "@fastify/swagger";
import fp from "fastify-plugin";
import { jsonSchemaTransform } from "fastify-type-provider-zod";
import { z } from "zod";

/** Builds the OpenAPI description from the schemas that the routes validate with and the keys that they require. */
export const openapi = fp(async (app) => {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Rolltape", version: "0.1.0", description: "Agent rollout proxy" },
      components: {
        securitySchemes: {
          bearer: { type: "http", scheme: "bearer" },
          apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
          googleApiKey: { type: "apiKey", in: "header", name: "x-goog-api-key" },
        },
      },
    },
    transform: (route) => jsonSchemaTransform(withPattern(route)),
  });
  app.addHook("onRoute", (route) => {
    const key = route.config?.key ?? "none";
    route.schema = {
      ...route.schema,
      security: key === "none" ? [] : [{ bearer: [] }, { apiKey: [] }, { googleApiKey: [] }],
    };
  });
});

type DescribedRoute = Parameters<typeof jsonSchemaTransform>[0];

/** Describes a route that has a path pattern by that pattern and its parameters. */
function withPattern(described: DescribedRoute): DescribedRoute {
  const { pattern } = described.route.config ?? {};
  if (pattern === undefined) return described;
  const names = [...pattern.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => [name, z.string()] as const);
  const schema = { ...described.schema, params: z.object(Object.fromEntries(names)) };
  // The plugin reads a single colon as the beginning of a parameter.
  return { ...described, schema, url: pattern.replaceAll(":", "::") };
}
