import * as operations from '@waxwing/contract/management-api/operations/push-setting-operations.ts';
import type { PushKind } from '@waxwing/contract/push-request.ts';
import { type Binding, bind } from '../api/operation-frame.ts';
import { Problem } from '../runtime/problem.ts';
import { SecretText } from '../runtime/secret-text.ts';
import type { LaneStatus } from './engine/lane-status.ts';
import type { PushSettings } from './manage-push-settings.ts';
import { type PushSetting, settingLimits } from './settings/push-setting.ts';

export interface PushSettingRoutesNeeds {
  readonly settings: PushSettings;
  readonly laneStatus: (settingId: string) => LaneStatus | undefined;
}

interface Place {
  readonly params: { readonly organization_id: string; readonly kind: PushKind };
}

/** Only a caller who may change the setting sees the query of its URL, which may hold a secret of the customer. */
interface Reader {
  allows(action: string): boolean;
}

/** The operations on push settings (contract: push-setting-operations). */
export function pushSettingRoutes({ settings, laneStatus }: PushSettingRoutesNeeds): readonly Binding[] {
  async function read(call: Reader & Place): Promise<operations.PushSetting> {
    const { organization_id: organizationId, kind } = call.params;
    return redacted(toShown(organizationId, kind, await settings.find(organizationId, kind)), call);
  }

  async function requireMade({ organization_id: organizationId, kind }: Place['params']): Promise<void> {
    if ((await settings.find(organizationId, kind)) !== undefined) return;
    throw new Problem('conflict', {
      field: 'url',
      reason: 'no_url',
      detail: `There is no url for pushes of kind ${kind} yet; set one.`,
    });
  }

  return [
    bind(operations.listPushSettings, async (call) => {
      const kinds = ['status', 'uplink'] as const;
      const one = (kind: PushKind) =>
        read({ params: { ...call.params, kind }, allows: (action) => call.allows(action) });
      return call.page.ofFew(await Promise.all(kinds.map(one)), ({ kind }) => kind);
    }),

    bind(operations.showPushSetting, read),

    bind(operations.updatePushSetting, async (call) => {
      const { organization_id: organizationId, kind } = call.params;
      const { timeout_seconds: timeoutSeconds, ...rest } = call.body;
      const check = (current: PushSetting | undefined) => call.requireMatch(toShown(organizationId, kind, current));
      const { setting } = await settings.set(call.by, { organizationId, kind, ...rest, timeoutSeconds }, check);
      return toShown(organizationId, kind, setting);
    }),

    bind(operations.setPushSecret, async ({ by, params, body }) => {
      const { organization_id: organizationId, kind } = params;
      const given = body.secret === undefined ? 'generate' : new SecretText(body.secret);
      const { setting, secret } = await settings.set(by, { organizationId, kind, secret: given });
      return { setting: toShown(organizationId, kind, setting), secret: secret?.reveal() ?? null };
    }),

    bind(operations.removePushSecret, async ({ by, params }) => {
      const { organization_id: organizationId, kind } = params;
      await requireMade(params);
      const { setting } = await settings.set(by, { organizationId, kind, secret: 'none' });
      return toShown(organizationId, kind, setting);
    }),

    bind(operations.testPushSetting, async ({ by, params, query }) => {
      await requireMade(params);
      return settings.test(by, params.organization_id, params.kind, query.sample);
    }),

    bind(operations.showPushHealth, async ({ params, query }) => {
      const { organization_id: organizationId, kind } = params;
      const setting = await settings.find(organizationId, kind);
      const health = (await settings.health(organizationId, laneStatus)).find((each) => each.kind === kind);
      return {
        ...(health ?? idle(kind)),
        ...(await settings.figures(organizationId, setting?.id ?? null, query.span ?? '1h')),
      };
    }),
  ];
}

const idle = (kind: PushKind) => ({ kind, enabled: false, waiting: 0, failed: 0, oldest_due_at: null, lane: null });

/** Both settings are always there: one that nobody has made yet is off, and has no URL. */
function toShown(organizationId: string, kind: PushKind, setting: PushSetting | undefined): operations.PushSetting {
  if (setting !== undefined) return setting;
  return {
    id: null,
    organization_id: organizationId,
    kind,
    url: null,
    enabled: false,
    timeout_seconds: settingLimits.timeout.standard,
    retries: settingLimits.retries.standard,
    concurrency: settingLimits.concurrency.standard,
    signed: false,
    former_secret_until: null,
    created_at: null,
    updated_at: null,
    switched_at: null,
  };
}

function redacted(setting: operations.PushSetting, reader: Reader): operations.PushSetting {
  if (setting.url === null || reader.allows('push-setting.update')) return setting;
  return { ...setting, url: setting.url.replace(/[?#].*$/s, '?***') };
}
