import swagger from "@fastify/swagger";
import fp from "fastify-plugin";
import { jsonSchemaTransform } from "fastify-type-provider-zod";
import { z } from "zod";
import { packageVersion } from "../../support/package-version.js";
import { completeDocument } from "./complete-document.js";
import { TAGS } from "./operations.js";
const DESCRIPTION = `Agent rollout proxy: records model calls token by token and exports training tensors.

The admin key is for the trainer's calls, a session key for the agent's.`;
/** Builds the OpenAPI description from the schemas that the routes validate with and the keys that they require. */
export const openapi = fp(async (app) => {
    await app.register(swagger, {
        openapi: {
            openapi: "3.1.0",
            info: {
                title: "Rolltape",
                version: packageVersion(),
                description: DESCRIPTION,
                license: { name: "Apache-2.0", identifier: "Apache-2.0" },
            },
            servers: [
                {
                    url: "http://{host}:{port}",
                    description: "A proxy or its gateway.",
                    variables: { host: { default: "127.0.0.1" }, port: { default: "8090" } },
                },
            ],
            tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
            components: {
                securitySchemes: {
                    bearer: { type: "http", scheme: "bearer" },
                    apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
                    googleApiKey: { type: "apiKey", in: "header", name: "x-goog-api-key" },
                },
            },
        },
        transform: (route) => jsonSchemaTransform(withPattern(route)),
        transformObject: (described) => "openapiObject" in described
            ? completeDocument(described.openapiObject)
            : {},
    });
    app.addHook("onRoute", (route) => {
        const key = route.config?.key ?? "none";
        route.schema = {
            ...route.schema,
            security: key === "none" ? [] : [{ bearer: [] }, { apiKey: [] }, { googleApiKey: [] }],
        };
    });
});
/** Describes a route that has a path pattern by that pattern and its parameters. */
function withPattern(described) {
    const pattern = described.route.config?.pattern ?? namedWildcard(described.url);
    if (pattern === undefined)
        return described;
    const names = [...pattern.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => [name, z.string()]);
    const schema = { ...described.schema, params: z.object(Object.fromEntries(names)) };
    // The plugin reads a single colon as the beginning of a parameter.
    return { ...described, schema, url: pattern.replaceAll(":", "::") };
}
/** Returns the pattern of a path that ends in the name of a model, which may have slashes. */
function namedWildcard(url) {
    return url.endsWith("/models/*") ? url.replace("*", "{model}") : undefined;
}
//# sourceMappingURL=openapi.js.map