import { Registry } from 'prom-client';
import { createCarrierMetrics } from '../packages/server/src/carriers/carrier-metrics.ts';
import { createExpiryMetric } from '../packages/server/src/deployments/expiring-certificates.ts';
import { createRetrievalMetrics } from '../packages/server/src/deployments/retrieval-metrics.ts';
import { createAnswerMetrics } from '../packages/server/src/http/answer-metrics.ts';
import { createProbeMetrics } from '../packages/server/src/http/probes.ts';
import { createMessageMetrics } from '../packages/server/src/messages/message-metrics.ts';
import { createPushMetrics } from '../packages/server/src/push/push-metrics.ts';
import { createWaitingMetric } from '../packages/server/src/push/waiting-figures.ts';
import { systemClock } from '../packages/server/src/runtime/clock.ts';
import { createTelemetry } from '../packages/server/src/runtime/telemetry.ts';

export interface DescribedMetric {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

/** Registered, and never read: what they would read is not there. */
const unread = undefined as never;

/** The metrics of our own as they are registered, by name. metrics-page.test.ts compares them with a server's. */
export function describedMetrics(): readonly DescribedMetric[] {
  const registry = new Registry();
  createAnswerMetrics(registry);
  createProbeMetrics(registry, unread);
  createRetrievalMetrics(registry, unread);
  createExpiryMetric(registry, unread, unread);
  createPushMetrics(registry, unread, unread);
  createWaitingMetric(registry, unread, unread);
  createMessageMetrics(registry);
  createCarrierMetrics(registry);
  const stream = { write: () => true };
  const { metrics } = createTelemetry({ level: 'silent', format: 'json', stream, clock: systemClock, version: '' });
  return [...describe(registry), ...describe(metrics)].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Those of Node's own are of prom-client. */
export function describe(registry: Registry): readonly DescribedMetric[] {
  return registry
    .getMetricsAsArray()
    .filter(({ name }) => name.startsWith('waxwing_'))
    .map((metric) => {
      // What its types leave out.
      const { labelNames = [] } = metric as { labelNames?: readonly string[] };
      return { name: metric.name, type: String(metric.type), labels: labelNames, help: metric.help };
    });
}
