import { ApartmentOutlined, PlusOutlined } from '@ant-design/icons';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { updateQuotas } from '@waxwing/contract/management-api/messaging-setting-operations.ts';
import {
  createOrganization,
  listOrganizations,
  resumeOrganization,
  suspendOrganization,
} from '@waxwing/contract/management-api/organization-operations.ts';
import { Button, Form, Input, type TableColumnType } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { everyItem, useApi, useChange, usePages } from '../../api/api-context.tsx';
import type { Organization } from '../../api/shown-things.ts';
import { useMay, useMe } from '../../api/use-me.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { FormModal } from '../../parts/form-modal.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ItemTable } from '../../parts/item-table.tsx';
import { Mark } from '../../parts/mark.tsx';
import { NoneFound } from '../../parts/none-found.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { organizationHome } from '../shell/organization-home.ts';
import { QuotaButton } from './quota-button.tsx';

const route = getRouteApi('/frame/organizations');

export function OrganizationListPage() {
  const { t } = useTranslation();
  const api = useApi();
  const may = useMay();
  const navigate = useNavigate();
  const { search } = route.useSearch();
  const input = search === undefined ? {} : { query: { search } };
  const pages = usePages(listOrganizations, input);
  const searchFor = (text: string) =>
    void navigate({ to: '/organizations', search: text === '' ? {} : { search: text }, replace: true });
  const home = organizationHome(useMe());
  const [isCreating, setCreating] = useState(false);
  const createButton = may(createOrganization) && (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => setCreating(true)}>
      {t('organizations.create')}
    </Button>
  );
  const columns: TableColumnType<Organization>[] = [
    {
      title: t('organizations.columns.name'),
      key: 'name',
      render: (_value, { id, name }) => (
        <Link to={home} params={{ organizationId: id }}>
          {name}
        </Link>
      ),
    },
    {
      title: t('organizations.columns.state'),
      key: 'state',
      width: 120,
      render: (_value, { suspended }) => (
        <Mark tone={suspended ? 'bad' : 'good'}>
          {t(suspended ? 'organizations.suspended' : 'organizations.active')}
        </Mark>
      ),
    },
    {
      title: t('organizations.columns.created'),
      key: 'created',
      width: 205,
      render: (_value, { created_at }) => <Instant at={created_at} />,
    },
    {
      title: t('common.actions'),
      key: 'actions',
      width: 200,
      render: (_value, organization) => (
        <span className="row">
          {may(updateQuotas) && <QuotaButton organization={organization} />}
          {may(suspendOrganization) && <SuspendButton organization={organization} />}
        </span>
      ),
    },
  ];
  return (
    <>
      <PageHead
        title={t('organizations.title')}
        lead={t('organizations.lead')}
        actions={
          <>
            <ExportCsv<Organization>
              fileName="organizations"
              items={(signal) => everyItem(api, listOrganizations, input, signal)}
              columns={[
                [t('organizations.columns.name'), ({ name }) => name],
                [
                  t('organizations.columns.state'),
                  ({ suspended }) => t(suspended ? 'organizations.suspended' : 'organizations.active'),
                ],
                [t('organizations.columns.created'), ({ created_at }) => created_at],
                ['id', ({ id }) => id],
              ]}
            />
            {createButton}
          </>
        }
      />
      <search className="filters">
        <SearchField label={t('organizations.search')} value={search ?? ''} onSearch={searchFor} />
      </search>
      <ItemTable<Organization>
        label={t('organizations.title')}
        pages={pages}
        columns={columns}
        rowKey={({ id }) => id}
        minWidth={700}
        empty={
          search === undefined ? (
            <EmptyState title={t('organizations.none')} action={createButton}>
              {t('organizations.noneLead')}
            </EmptyState>
          ) : (
            <NoneFound title={t('organizations.noneFound')} onClear={() => searchFor('')} />
          )
        }
      />
      {isCreating && <CreateModal onEnd={() => setCreating(false)} />}
    </>
  );
}

function CreateModal({ onEnd }: { readonly onEnd: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const me = useMe();
  const creating = useChange(createOrganization);
  return (
    <FormModal<{ name: string }>
      title={
        <>
          <ApartmentOutlined /> {t('organizations.create')}
        </>
      }
      submit={t('organizations.createSubmit')}
      width={440}
      saving={creating}
      onSave={({ name }) =>
        creating.mutate(
          { body: { name: name.trim() } },
          {
            onSuccess: ({ id }) => void navigate({ to: organizationHome(me), params: { organizationId: id } }),
          },
        )
      }
      onEnd={onEnd}
    >
      <Form.Item
        name="name"
        label={t('organizations.columns.name')}
        rules={[{ required: true, whitespace: true, message: t('common.required') }]}
        style={{ marginBlockEnd: 0 }}
      >
        <Input autoFocus maxLength={200} />
      </Form.Item>
    </FormModal>
  );
}

function SuspendButton({ organization: { id, name, suspended } }: { readonly organization: Organization }) {
  const { t } = useTranslation();
  const suspending = useChange(suspendOrganization);
  const resuming = useChange(resumeOrganization);
  return (
    <ConfirmButton
      size="small"
      danger={!suspended}
      text={t(suspended ? 'organizations.resume' : 'organizations.suspend')}
      label={t(suspended ? 'organizations.resumeNamed' : 'organizations.suspendNamed', { name })}
      title={t(suspended ? 'organizations.resumeTitle' : 'organizations.suspendTitle', { name })}
      what={t(suspended ? 'organizations.resumeWhat' : 'organizations.suspendWhat')}
      change={suspended ? resuming : suspending}
      input={{ params: { organization_id: id } }}
    />
  );
}
