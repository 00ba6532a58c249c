import { getRouteApi } from '@tanstack/react-router';
import { Segmented, Tabs } from 'antd';
import { useTranslation } from 'react-i18next';
import { PageHead } from '../../parts/text/page-head.tsx';
import { pushKinds, pushSpans } from '../push/push-filters.ts';
import { PushHealthPanel } from '../push-health/push-health-panel.tsx';
import { PushSettingPanel } from './push-setting-panel.tsx';
import '../push/push.css';

const route = getRouteApi('/frame/o/$organizationId/push-settings');

export function PushSettingPage() {
  const { t } = useTranslation();
  const { organizationId } = route.useParams();
  const { tab, span = '1h' } = route.useSearch();
  const navigate = route.useNavigate();
  const go = (search: { tab?: 'health'; span?: typeof span }) => void navigate({ to: '.', search, replace: true });

  return (
    <>
      <PageHead title={t('menu.pushSettings')} lead={t('push.settings.lead')} />
      <Tabs
        activeKey={tab ?? 'settings'}
        onChange={(key) => go(key === 'health' ? { tab: 'health' } : {})}
        destroyOnHidden
        items={[
          {
            key: 'settings',
            label: t('common.settings'),
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
            label: t('menu.health'),
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
