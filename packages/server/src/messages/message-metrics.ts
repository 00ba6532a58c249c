import { Counter, type Registry } from 'prom-client';

export interface MessageMetrics {
  accepted(messages: number, refused: number): void;
  refusedRequest(code: string): void;
  settled(status: string, count: number): void;
}

/** No label holds anything of a caller. */
export function createMessageMetrics(registry: Registry): MessageMetrics {
  const accepted = new Counter({
    name: 'waxwing_messages_accepted_total',
    help: 'Accepted messages; refused ones are those that we rejected ourselves.',
    labelNames: ['refused'],
    registers: [registry],
  });
  const requests = new Counter({
    name: 'waxwing_message_requests_refused_total',
    help: 'Requests of the message interface that failed one of the first four checks.',
    labelNames: ['code'],
    registers: [registry],
  });
  const settled = new Counter({
    name: 'waxwing_messages_settled_total',
    help: 'Messages that a carrier or the end of the grace has settled, by final status.',
    labelNames: ['status'],
    registers: [registry],
  });
  return {
    accepted(messages, refused) {
      accepted.inc({ refused: 'no' }, messages - refused);
      if (refused > 0) accepted.inc({ refused: 'yes' }, refused);
    },
    refusedRequest: (code) => requests.inc({ code }),
    settled: (status, count) => settled.inc({ status }, count),
  };
}
