import { DeleteOutlined, EditOutlined, PlusOutlined } from '@ant-design/icons';
import { getRouteApi } from '@tanstack/react-router';
import {
  createDnsProvider,
  deleteDnsProvider,
  listDnsProviders,
  testDnsProvider,
  updateDnsProvider,
} from '@waxwing/contract/management-api/operations/dns-provider-operations.ts';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange, usePages } from '../../api/api-context.tsx';
import type { ItemOf } from '../../api/shown-things.ts';
import { useMay } from '../../api/use-me.ts';
import { ConfirmButton } from '../../parts/dialogs/confirm-button.tsx';
import { Instant } from '../../parts/marks/instant.tsx';
import type { Column } from '../../parts/tables/column.ts';
import { ListPage } from '../../parts/tables/list-page.tsx';
import { CreateProviderModal } from './create-provider-modal.tsx';
import { EditProviderModal } from './edit-provider-modal.tsx';
import { optionLabel } from './provider-fields.tsx';
import { TestProviderButton } from './test-provider-button.tsx';
import { TestProviderModal } from './test-provider-modal.tsx';

const route = getRouteApi('/frame/o/$organizationId/dns-providers');

type Provider = ItemOf<typeof listDnsProviders>;

/** A person who sets records is not asked to set one for nothing. */
const isTestable = ({ kind }: Provider) => kind !== 'manual';

/** The accounts by which records are set, to prove domains by DNS-01. */
export function DnsProviderListPage() {
  const { t } = useTranslation();
  const { organizationId } = route.useParams();
  const may = useMay(organizationId);
  const pages = usePages(listDnsProviders, { params: { organization_id: organizationId } });
  const [isCreating, setCreating] = useState(false);
  const [edited, setEdited] = useState<string>();
  const [made, setMade] = useState<Provider>();
  return (
    <ListPage<Provider>
      title={t('menu.dnsProviders')}
      lead={t('dnsProviders.lead')}
      pages={pages}
      csv={{
        fileName: 'dns-providers',
        columns: [
          [t('common.name'), ({ name }) => name],
          [t('dnsProviders.kind'), ({ kind }) => t(`dnsProviders.kinds.${kind}`)],
          [t('common.created'), ({ created_at }) => created_at],
          ['id', ({ id }) => id],
        ],
      }}
      action={
        may(createDnsProvider) && (
          <Button type="primary" icon={<PlusOutlined />} onClick={() => setCreating(true)}>
            {t('dnsProviders.create')}
          </Button>
        )
      }
      columns={useColumns(organizationId, setEdited)}
      rowKey={({ id }) => id}
      minWidth={960}
      none={{ title: t('dnsProviders.none'), lead: t('dnsProviders.noneLead') }}
    >
      {isCreating && (
        <CreateProviderModal
          organizationId={organizationId}
          onMade={(provider) => {
            setCreating(false);
            setMade(provider);
          }}
          onEnd={() => setCreating(false)}
        />
      )}
      {made !== undefined && may(testDnsProvider) && isTestable(made) && (
        <TestProviderModal organizationId={organizationId} provider={made} onEnd={() => setMade(undefined)} />
      )}
      {edited !== undefined && (
        <EditProviderModal organizationId={organizationId} providerId={edited} onEnd={() => setEdited(undefined)} />
      )}
    </ListPage>
  );
}

function useColumns(organizationId: string, onEdit: (id: string) => void): Column<Provider>[] {
  const { t } = useTranslation();
  const may = useMay(organizationId);
  const deleting = useChange(deleteDnsProvider);
  const columns: Column<Provider>[] = [
    {
      title: t('common.name'),
      cell: ({ name, kind }) => (
        <div>
          <div className="break-anywhere">{name}</div>
          <div className="quiet small">{t(`dnsProviders.kinds.${kind}`)}</div>
        </div>
      ),
    },
    {
      title: t('dnsProviders.settings'),
      width: 300,
      cell: ({ kind, options, has_secret }) => (
        <div className="small">
          {Object.entries(options).map(([name, value]) => (
            <div key={name} className="break-anywhere">
              <span className="quiet">{t('common.named', { name: optionLabel(t, kind, name) })}</span>{' '}
              <span className="mono">{value}</span>
            </div>
          ))}
          {has_secret && kind !== 'manual' && (
            <div>
              <span className="quiet">{t('common.named', { name: t(`dnsProviders.secrets.${kind}`) })}</span>{' '}
              {t('dnsProviders.secretStored')}
            </div>
          )}
        </div>
      ),
    },
    { title: t('common.created'), width: 190, cell: ({ created_at }) => <Instant at={created_at} /> },
  ];
  if (!may(updateDnsProvider)) return columns;
  return [
    ...columns,
    {
      title: t('common.actions'),
      width: 270,
      cell: (provider) => (
        <span className="row one-line">
          {may(testDnsProvider) && isTestable(provider) && (
            <TestProviderButton organizationId={organizationId} provider={provider} />
          )}
          <Button
            size="small"
            icon={<EditOutlined />}
            aria-label={t('dnsProviders.edit', { name: provider.name })}
            onClick={() => onEdit(provider.id)}
          >
            {t('common.edit')}
          </Button>
          {may(deleteDnsProvider) && (
            <ConfirmButton
              danger
              size="small"
              icon={<DeleteOutlined />}
              text={t('common.delete')}
              label={t('common.deleteNamed', { name: provider.name })}
              title={t('common.deleteTitle', { name: provider.name })}
              what={t('dnsProviders.deleteWhat')}
              change={deleting}
              input={{ params: { organization_id: organizationId, dns_provider_id: provider.id } }}
            />
          )}
        </span>
      ),
    },
  ];
}
