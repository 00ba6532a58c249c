import {
  showPushSetting,
  testPushSetting,
  updatePushSetting,
} from '@waxwing/contract/management-api/operations/push-setting-operations.ts';
import { Skeleton } from 'antd';
import { useTranslation } from 'react-i18next';
import { useTagged } from '../../api/api-context.tsx';
import type { PushSetting } from '../../api/shown-pushes.ts';
import { useMay } from '../../api/use-me.ts';
import { Instant } from '../../parts/marks/instant.tsx';
import { Fact } from '../../parts/text/fact.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';
import type { PushKind } from '../push/push-filters.ts';
import { SwitchMark } from '../push/push-marks.tsx';
import { PushSecret } from './push-secret.tsx';
import { PushSettingForm } from './push-setting-form.tsx';
import { numberFields } from './setting-draft.ts';
import { TryPush } from './try-push.tsx';

/** One of the two settings: a form for people who may change it, facts for others. */
export function PushSettingPanel({ organizationId, kind }: { organizationId: string; kind: PushKind }) {
  const { t } = useTranslation();
  const may = useMay(organizationId);
  const setting = useTagged(showPushSetting, { params: { organization_id: organizationId, kind } });
  const { data } = setting;
  return (
    <section className="panel" aria-labelledby={`push-${kind}`}>
      <div className="row">
        <h2 id={`push-${kind}`} className="panel-title">
          {t(`push.kinds.${kind}`)}
        </h2>
        {data !== undefined && <SwitchMark enabled={data.value.enabled} isSet={data.value.id !== null} />}
      </div>
      <p className="quiet push-lead">{t(`push.kindLeads.${kind}`)}</p>
      <ProblemAlert error={setting.error} onRetry={() => void setting.refetch()} />
      {data === undefined && setting.error === null && <Skeleton active />}
      {data !== undefined && (
        <div className="stack">
          {may(updatePushSetting) ? (
            <PushSettingForm
              organizationId={organizationId}
              setting={data}
              onOutdated={() => void setting.refetch()}
              besideSave={(isChanged) =>
                may(testPushSetting) &&
                data.value.id !== null && <TryPush organizationId={organizationId} kind={kind} isDisabled={isChanged} />
              }
            />
          ) : (
            <SettingFacts setting={data.value} />
          )}
          <PushSecret organizationId={organizationId} setting={data.value} mayChange={may(updatePushSetting)} />
        </div>
      )}
    </section>
  );
}

function SettingFacts({ setting }: { readonly setting: PushSetting }) {
  const { t } = useTranslation();
  const { url, updated_at } = setting;
  if (url === null) return <p className="quiet">{t('push.settings.neverSet')}</p>;
  return (
    <dl className="facts">
      <Fact name={t('push.settings.url')} className="mono">
        {url}
      </Fact>
      {numberFields.map((field) => (
        <Fact key={field} name={t(`push.settings.${field}`)} className="figures">
          {setting[field]}
        </Fact>
      ))}
      {updated_at !== null && (
        <Fact name={t('push.settings.changedAt')}>
          <Instant at={updated_at} />
        </Fact>
      )}
    </dl>
  );
}
