import type { Command } from '../command.ts';
import type { ApiItem } from '../exchange/api-server.ts';
import { newestFirst } from '../list-pages.ts';
import { onlyOfOption } from '../option-values.ts';
import { textTable } from '../text-table.ts';
import { organizationIfGiven } from './find-thing.ts';

type Alert = ApiItem<'listAlerts'>;

const list: Command<readonly Alert[]> = {
  name: 'alert list',
  summary: 'List alerts, newest first, and where they were sent',
  options: { organization: onlyOfOption, ...newestFirst.options },
  async call(server, args) {
    const part = newestFirst.part(args);
    return server.list('listAlerts', { params: { organization_id: await organizationIfGiven(server, args) } }, part);
  },
  print: (alerts, args) =>
    textTable(
      alerts,
      {
        AT: ({ at }) => at,
        TYPE: ({ type }) => type,
        ORGANIZATION: ({ organization_id }) => organization_id ?? '(instance)',
        SUBJECT: ({ subject }) => subject,
        'SENT TO': ({ deliveries }) => deliveries.map(deliveryText).join('; '),
        ID: ({ id }) => id,
      },
      'Nothing was told yet.',
    ) + newestFirst.next(alerts, args),
};

/** `ops (ops@example.com): sent`, or why it was not. */
function deliveryText({ channel, to, state, last_error }: Alert['deliveries'][number]): string {
  return `${channel}${to === '' ? '' : ` (${to})`}: ${state}${last_error === null ? '' : `, ${last_error}`}`;
}

export const alertCommands: readonly Command[] = [list];
