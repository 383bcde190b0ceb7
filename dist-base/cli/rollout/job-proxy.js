export {};
//# sourceMappingURL=job-proxy.js.map