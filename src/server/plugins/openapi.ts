import swagger from "@fastify/swagger";
import fp from "fastify-plugin";
import { jsonSchemaTransform } from "fastify-type-provider-zod";

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
        },
      },
    },
    transform: jsonSchemaTransform,
  });
  app.addHook("onRoute", (route) => {
    const key = route.config?.key ?? "none";
    route.schema = { ...route.schema, security: key === "none" ? [] : [{ bearer: [] }, { apiKey: [] }] };
  });
});
