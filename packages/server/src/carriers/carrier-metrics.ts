import { Counter, type Registry } from 'prom-client';
import type { SubmitResult } from './carrier.ts';

export function createCarrierMetrics(registry: Registry): (carrierId: string, result: SubmitResult['kind']) => void {
  const submits = new Counter({
    name: 'waxwing_submits_total',
    help: 'Segments submitted to a carrier, by its answer.',
    labelNames: ['carrier', 'result'],
    registers: [registry],
  });
  return (carrier, result) => submits.inc({ carrier, result });
}
