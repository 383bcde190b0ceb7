/** The parts of OpenTelemetry's SDK, an optional dependency. Import this late. */
export { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
export { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
export {
  AlwaysOnSampler,
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  type ReadableSpan,
  type SpanExporter,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
