import {
  alertsOfInstance,
  alertsOfOrganization,
} from '@waxwing/contract/management-api/operations/alert-operations.ts';
import { type Binding, bind, organizationOf, owned } from '../api/operation-frame.ts';
import type { Database } from '../database/database.ts';
import type { AlertChannels } from './channels/manage-alert-channels.ts';
import { listToldAlerts } from './list-alerts.ts';

interface AlertRoutesNeeds {
  readonly database: Database;
  readonly channels: AlertChannels;
}

/** The operations on alert channels and alerts (contract: alert-operations). */
export function alertRoutes(needs: AlertRoutesNeeds): readonly Binding[] {
  return [...routesOf(needs, alertsOfOrganization), ...routesOf(needs, alertsOfInstance)];
}

function routesOf(
  { database, channels }: AlertRoutesNeeds,
  operations: typeof alertsOfOrganization | typeof alertsOfInstance,
): readonly Binding[] {
  const find = ({ params }: { params: { readonly alert_channel_id: string } }) =>
    owned(ownerOf(params), channels.show(params.alert_channel_id));
  const listedOf = (params: object) =>
    'organization_id' in params ? organizationOf({ organization_id: String(params.organization_id) }) : '';

  return [
    bind(operations.list, async ({ params, page }) => page.of(await channels.list(listedOf(params), page), idOf)),
    bind(operations.create, async ({ by, params, body }) => {
      const { channel, secret } = await channels.create(by, { ...body, organizationId: ownerOf(params) });
      return { ...channel, secret: secret?.reveal() ?? null };
    }),
    bind(operations.show, find),
    bind(operations.update, async (call) => {
      const { id } = await find(call);
      return channels.update(call.by, id, call.body, (current) => call.requireMatch(current));
    }),
    bind(operations.remove, async (call) => {
      const { id } = await find(call);
      await channels.delete(call.by, id);
      return undefined;
    }),
    bind(operations.test, async (call) => {
      const { id } = await find(call);
      return channels.test(call.by, id);
    }),
    bind(operations.alerts, async ({ params, page }) =>
      page.of(await listToldAlerts(database, listedOf(params), page), idOf),
    ),
  ];
}

const idOf = ({ id }: { readonly id: string }): string => id;

/** Empty for the instance. */
function ownerOf(params: object): string {
  return 'organization_id' in params ? String(params.organization_id) : '';
}
