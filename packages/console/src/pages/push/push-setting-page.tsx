import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Segmented, Tabs } from 'antd';
import { useTranslation } from 'react-i18next';
import { PageHead } from '../../parts/page-head.tsx';
import { pushKinds, pushSpans } from './push-filters.ts';
import { PushHealthPanel } from './push-health-panel.tsx';
import { PushSettingPanel } from './push-setting-panel.tsx';
import './push.css';

const route = getRouteApi('/frame/o/$organizationId/push-settings');

/** The two URLs of an organization, and how pushing to them goes. */
export function PushSettingPage() {
  const { t } = useTranslation();
  const { organizationId } = route.useParams();
  const { tab, span = '1h' } = route.useSearch();
  const navigate = useNavigate();
  const go = (search: { tab?: 'health'; span?: typeof span }) =>
    void navigate({ to: '/o/$organizationId/push-settings', params: { organizationId }, search, replace: true });

  return (
    <>
      <PageHead title={t('push.settings.title')} lead={t('push.settings.lead')} />
      <Tabs
        activeKey={tab ?? 'settings'}
        onChange={(key) => go(key === 'health' ? { tab: 'health' } : {})}
        destroyOnHidden
        items={[
          {
            key: 'settings',
            label: t('push.settings.tabs.settings'),
            children: (
              <div className="push-settings">
                {pushKinds.map((kind) => (
                  <PushSettingPanel key={`${organizationId} ${kind}`} organizationId={organizationId} kind={kind} />
                ))}
              </div>
            ),
          },
          {
            key: 'health',
            label: t('push.settings.tabs.health'),
            children: (
              <div className="stack">
                <Segmented
                  className="push-span"
                  aria-label={t('push.health.span')}
                  value={span}
                  options={pushSpans.map((value) => ({ value, label: t(`push.health.spans.${value}`) }))}
                  onChange={(value) => go({ tab: 'health', span: value })}
                />
                {pushKinds.map((kind) => (
                  <PushHealthPanel
                    key={`${organizationId} ${kind}`}
                    organizationId={organizationId}
                    kind={kind}
                    span={span}
                  />
                ))}
              </div>
            ),
          },
        ]}
      />
    </>
  );
}
