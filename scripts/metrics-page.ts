import { Registry } from 'prom-client';
import { createAlertMetric, createDeliveryMetric } from '../packages/server/src/alerts/telling/alert-metrics.ts';
import { createCarrierMetrics } from '../packages/server/src/carriers/carrier-metrics.ts';
import { createExpiryMetric } from '../packages/server/src/deployments/expiring-certificates.ts';
import { createOutdatedMetric } from '../packages/server/src/deployments/outdated-deployments.ts';
import { createRetrievalMetrics } from '../packages/server/src/deployments/retrieval/retrieval-metrics.ts';
import { createAnswerMetrics } from '../packages/server/src/http/answer-metrics.ts';
import { createProbeMetrics } from '../packages/server/src/http/probes.ts';
import { createMessageMetrics } from '../packages/server/src/messages/message-metrics.ts';
import { createPushMetrics } from '../packages/server/src/push/engine/push-metrics.ts';
import { createWaitingMetric } from '../packages/server/src/push/history/waiting-figures.ts';
import { systemClock } from '../packages/server/src/runtime/clock.ts';
import { createTelemetry } from '../packages/server/src/runtime/telemetry.ts';

interface DescribedMetric {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

/** The metrics are only registered, never read. */
const unread = undefined as never;

/** Our metrics by name. metrics-page.test.ts compares them with a server's. */
export function describedMetrics(): readonly DescribedMetric[] {
  const registry = new Registry();
  createAnswerMetrics(registry);
  createProbeMetrics(registry, unread);
  createRetrievalMetrics(registry, unread);
  createExpiryMetric(registry, unread, unread);
  createOutdatedMetric(registry, unread, unread);
  createPushMetrics(registry, unread, unread);
  createWaitingMetric(registry, unread, unread);
  createMessageMetrics(registry);
  createCarrierMetrics(registry);
  createAlertMetric(registry, unread, unread);
  createDeliveryMetric(registry);
  const stream = { write: () => true };
  const { metrics } = createTelemetry({ level: 'silent', format: 'json', stream, clock: systemClock, version: '' });
  return [...describe(registry), ...describe(metrics)].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** prom-client adds those of Node. */
export function describe(registry: Registry): readonly DescribedMetric[] {
  return registry
    .getMetricsAsArray()
    .filter(({ name }) => name.startsWith('waxwing_'))
    .map((metric) => {
      // Missing in its types.
      const { labelNames = [] } = metric as { labelNames?: readonly string[] };
      return { name: metric.name, type: String(metric.type), labels: labelNames, help: metric.help };
    });
}
