export const schemaRef = (name) => ({ $ref: `#/components/schemas/${name}` });
//# sourceMappingURL=document.js.map