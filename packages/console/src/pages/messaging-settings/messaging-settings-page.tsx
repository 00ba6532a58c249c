import { EditOutlined } from '@ant-design/icons';
import { getRouteApi } from '@tanstack/react-router';
import { listOrganizationRoutes } from '@waxwing/contract/management-api/operations/carrier-operations.ts';
import {
  showMessagingSettings,
  updateMessagingSettings,
  updateQuotas,
} from '@waxwing/contract/management-api/operations/messaging-setting-operations.ts';
import { App, Button, Select } from 'antd';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange, useTagged } from '../../api/api-context.tsx';
import { useMay } from '../../api/use-me.ts';
import { PageHead } from '../../parts/text/page-head.tsx';
import { Panel } from '../../parts/text/panel.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';
import { Unread } from '../../parts/text/unread.tsx';
import { EditQuotasModal } from './edit-quotas-modal.tsx';
import { OwnNumbers } from './own-numbers.tsx';
import { namedRegions } from './region-codes.ts';

const route = getRouteApi('/frame/o/$organizationId/messaging-settings');

/** How an organization sends: its default region, its quotas, and how its recipients opt out. */
export function MessagingSettingsPage() {
  const { t, i18n } = useTranslation();
  const { organizationId } = route.useParams();
  const may = useMay(organizationId);
  const params = { organization_id: organizationId };
  const settings = useTagged(showMessagingSettings, { params });
  const [isEditing, setEditing] = useState(false);

  if (settings.data === undefined) return <Unread of={settings} />;
  const { value, etag } = settings.data;
  const limit = (quota: number | null) => quota?.toLocaleString(i18n.language) ?? t('deployments.noLimit');

  return (
    <>
      <PageHead title={t('menu.messagingSettings')} lead={t('messaging.settings.lead')} />
      <div className="stack narrow">
        <section className="panel">
          <RegionRow
            organizationId={organizationId}
            region={value.default_region}
            etag={etag}
            mayChange={may(updateMessagingSettings)}
          />
          <div className="settings-row">
            <div>
              <h2 className="settings-name">{t('messaging.settings.stopWords')}</h2>
              <div className="quiet small">{t('messaging.settings.stopWordsWhat')}</div>
            </div>
          </div>
        </section>
        <Panel
          title={t('quotas.button')}
          actions={
            may(updateQuotas) && (
              <Button icon={<EditOutlined />} onClick={() => setEditing(true)}>
                {t('messaging.settings.edit')}
              </Button>
            )
          }
        >
          <p className="quiet small">{t('messaging.settings.quotasLead')}</p>
          {(['perSecond', 'perDay'] as const).map((name) => (
            <div key={name} className="settings-row">
              <div>
                <div>{t(`messaging.settings.${name}`)}</div>
                <div className="quiet small">{t(`messaging.settings.${name}Hint`)}</div>
              </div>
              <strong className="figures">
                {limit(name === 'perSecond' ? value.messages_per_second : value.messages_per_day)}
              </strong>
            </div>
          ))}
        </Panel>
        {may(listOrganizationRoutes) && <OwnNumbers organizationId={organizationId} />}
      </div>
      {isEditing && (
        <EditQuotasModal
          title={t('messaging.settings.edit')}
          organizationId={organizationId}
          onEnd={() => setEditing(false)}
        />
      )}
    </>
  );
}

interface RegionRowProps {
  readonly organizationId: string;
  readonly region: string | null;
  readonly etag: string;
  readonly mayChange: boolean;
}

const noRegion = '';

function RegionRow({ organizationId, region, etag, mayChange }: RegionRowProps) {
  const { t, i18n } = useTranslation();
  const { message } = App.useApp();
  const updating = useChange(updateMessagingSettings);
  const regions = useMemo(() => namedRegions(i18n.language), [i18n.language]);
  return (
    <>
      <ProblemAlert error={updating.error} />
      <div className="settings-row folding">
        <div>
          <h2 id="default-region" className="settings-name">
            {t('messaging.settings.region')}
          </h2>
          <div className="quiet small">{t('messaging.settings.regionHint')}</div>
        </div>
        <Select
          aria-labelledby="default-region"
          className="region"
          showSearch={{ optionFilterProp: 'label' }}
          disabled={!mayChange}
          loading={updating.isPending}
          value={region ?? noRegion}
          options={[{ value: noRegion, label: t('messaging.settings.regionNone') }, ...regions]}
          onChange={(chosen: string) =>
            updating.mutate(
              {
                params: { organization_id: organizationId },
                body: { default_region: chosen === noRegion ? null : chosen },
                ifMatch: etag,
              },
              { onSuccess: () => void message.success(t('messaging.settings.saved')) },
            )
          }
        />
      </div>
    </>
  );
}
