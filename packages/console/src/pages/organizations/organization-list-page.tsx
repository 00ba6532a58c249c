import { ApartmentOutlined, PlusOutlined } from '@ant-design/icons';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { updateQuotas } from '@waxwing/contract/management-api/operations/messaging-setting-operations.ts';
import {
  createOrganization,
  deleteOrganization,
  listOrganizations,
  resumeOrganization,
  suspendOrganization,
  updateOrganization,
} from '@waxwing/contract/management-api/operations/organization-operations.ts';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange, usePages } from '../../api/api-context.tsx';
import type { Organization } from '../../api/shown-things.ts';
import { useMay, useMe } from '../../api/use-me.ts';
import { ConfirmButton } from '../../parts/dialogs/confirm-button.tsx';
import { RenameButton } from '../../parts/dialogs/rename-button.tsx';
import { FormModal } from '../../parts/forms/form-modal.tsx';
import { TextField } from '../../parts/forms/text-field.tsx';
import { Instant } from '../../parts/marks/instant.tsx';
import { Mark } from '../../parts/marks/mark.tsx';
import type { Column } from '../../parts/tables/column.ts';
import { defined } from '../../parts/tables/list-filters.ts';
import { ListPage } from '../../parts/tables/list-page.tsx';
import { SearchField } from '../../parts/tables/search-field.tsx';
import { EditQuotasModal } from '../messaging-settings/edit-quotas-modal.tsx';
import { organizationHome } from '../shell/organization-home.ts';

const route = getRouteApi('/frame/organizations');

export function OrganizationListPage() {
  const { t } = useTranslation();
  const may = useMay();
  const navigate = route.useNavigate();
  const { search } = route.useSearch();
  const pages = usePages(listOrganizations, search === undefined ? {} : { query: { search } });
  const searchFor = (text?: string) => void navigate({ to: '.', search: defined({ search: text }), replace: true });
  const home = organizationHome(useMe());
  const renaming = useChange(updateOrganization);
  const deleting = useChange(deleteOrganization);
  const [isCreating, setCreating] = useState(false);
  const createButton = may(createOrganization) && (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => setCreating(true)}>
      {t('organizations.create')}
    </Button>
  );
  const columns: Column<Organization>[] = [
    {
      title: t('shell.organization'),
      cell: ({ id, name }) => (
        <>
          <Link to={home} params={{ organizationId: id }}>
            {name}
          </Link>{' '}
          {may(updateOrganization) && (
            <RenameButton
              name={name}
              change={renaming}
              toInput={(given) => ({ params: { organization_id: id }, body: { name: given } })}
            />
          )}
        </>
      ),
    },
    {
      title: t('common.state'),
      width: 120,
      cell: ({ suspended }) => (
        <Mark tone={suspended ? 'bad' : 'good'}>
          {t(suspended ? 'organizations.suspended' : 'organizations.active')}
        </Mark>
      ),
    },
    { title: t('common.created'), width: 205, cell: ({ created_at }) => <Instant at={created_at} /> },
    {
      title: t('common.actions'),
      width: 270,
      cell: (organization) => (
        <span className="row">
          {may(updateQuotas) && <QuotaButton organization={organization} />}
          {may(suspendOrganization) && <SuspendButton organization={organization} />}
          {may(deleteOrganization) && (
            <ConfirmButton
              size="small"
              danger
              text={t('common.delete')}
              label={t('common.deleteNamed', { name: organization.name })}
              title={t('common.deleteTitle', { name: organization.name })}
              what={t('organizations.deleteWhat')}
              change={deleting}
              input={{ params: { organization_id: organization.id } }}
            />
          )}
        </span>
      ),
    },
  ];
  return (
    <ListPage<Organization>
      title={t('menu.organizations')}
      lead={t('organizations.lead')}
      pages={pages}
      csv={{
        fileName: 'organizations',
        columns: [
          [t('shell.organization'), ({ name }) => name],
          [t('common.state'), ({ suspended }) => t(suspended ? 'organizations.suspended' : 'organizations.active')],
          [t('common.created'), ({ created_at }) => created_at],
          ['id', ({ id }) => id],
        ],
      }}
      action={createButton}
      filters={
        <search className="filters">
          <SearchField label={t('organizations.search')} value={search} onSearch={searchFor} />
        </search>
      }
      columns={columns}
      rowKey={({ id }) => id}
      minWidth={770}
      none={{ title: t('organizations.none'), lead: t('organizations.noneLead') }}
      noneFound={search !== undefined && { title: t('organizations.noneFound'), onClear: () => searchFor() }}
    >
      {isCreating && <CreateModal onEnd={() => setCreating(false)} />}
    </ListPage>
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
      <TextField autoFocus name="name" label={t('shell.organization')} />
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

function QuotaButton({ organization: { id, name } }: { readonly organization: Organization }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const title = t('quotas.named', { name });
  return (
    <>
      <Button size="small" aria-label={title} onClick={() => setOpen(true)}>
        {t('quotas.button')}
      </Button>
      {isOpen && <EditQuotasModal organizationId={id} title={title} onEnd={() => setOpen(false)} />}
    </>
  );
}
