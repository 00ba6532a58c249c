import { UserAddOutlined } from '@ant-design/icons';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import {
  createOperator,
  disableAccount,
  enableAccount,
  listAccounts,
  resetAccount,
} from '@waxwing/contract/management-api/instance-account-operations.ts';
import { Button, Select, type TableColumnType } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { everyItem, useApi, useChange, usePages } from '../../api/api-context.tsx';
import type { ItemOf } from '../../api/shown-things.ts';
import { useMay, useMe } from '../../api/use-me.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ItemTable } from '../../parts/item-table.tsx';
import { Mark } from '../../parts/mark.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import type { AccountFilters } from './account-filters.ts';
import { CreateOperatorModal } from './create-operator-modal.tsx';
import { ResetAccountButton } from './reset-account-button.tsx';

const route = getRouteApi('/frame/instance/accounts');
type Account = ItemOf<typeof listAccounts>;

/** The people of the instance, whatever they belong to. */
export function AccountListPage() {
  const { t } = useTranslation();
  const api = useApi();
  const may = useMay();
  const navigate = useNavigate();
  const filters = route.useSearch();
  const input = { query: filters };
  const pages = usePages(listAccounts, input);
  const [isCreating, setCreating] = useState(false);
  const filter = (search: AccountFilters) => void navigate({ to: '/instance/accounts', search, replace: true });
  const createButton = may(createOperator) && (
    <Button type="primary" icon={<UserAddOutlined />} onClick={() => setCreating(true)}>
      {t('instanceAccounts.create')}
    </Button>
  );
  return (
    <>
      <PageHead
        title={t('instanceAccounts.title')}
        lead={t('instanceAccounts.lead')}
        actions={
          <>
            <ExportCsv<Account>
              fileName="accounts"
              items={(signal) => everyItem(api, listAccounts, input, signal)}
              columns={[
                [t('signIn.email'), ({ email }) => email],
                [t('instanceAccounts.operator'), ({ operator }) => t(operator ? 'common.yes' : 'common.no')],
                [t('instanceAccounts.disabled'), ({ disabled }) => t(disabled ? 'common.yes' : 'common.no')],
                [t('deployments.columns.created'), ({ created_at }) => created_at],
                ['id', ({ id }) => id],
              ]}
            />
            {createButton}
          </>
        }
      />
      <search className="filters">
        <SearchField
          label={t('instanceAccounts.searchEmail')}
          value={filters.email ?? ''}
          onSearch={(email) => {
            const { email: _former, ...rest } = filters;
            filter(email === '' ? rest : { ...rest, email });
          }}
        />
        <Select
          aria-label={t('instanceAccounts.kind')}
          className="filter-choice"
          allowClear
          placeholder={t('instanceAccounts.everybody')}
          value={filters.operator}
          options={[
            { value: true, label: t('instanceAccounts.operators') },
            { value: false, label: t('instanceAccounts.others') },
          ]}
          onChange={(operator?: boolean) => {
            const { operator: _former, ...rest } = filters;
            filter(operator === undefined ? rest : { ...rest, operator });
          }}
        />
      </search>
      <ItemTable<Account>
        label={t('instanceAccounts.title')}
        pages={pages}
        columns={useColumns()}
        rowKey={({ id }) => id}
        minWidth={820}
        empty={
          <EmptyState
            title={t('instanceAccounts.noneFound')}
            action={<Button onClick={() => filter({})}>{t('common.clearFilters')}</Button>}
          />
        }
      />
      {isCreating && <CreateOperatorModal onEnd={() => setCreating(false)} />}
    </>
  );
}

function useColumns(): TableColumnType<Account>[] {
  const { t } = useTranslation();
  const me = useMe();
  const may = useMay();
  return [
    {
      title: t('signIn.email'),
      key: 'email',
      render: (_value, { id, email, operator, active, disabled }) => (
        <span className="row">
          <span className="break-anywhere">{email}</span>
          {operator && <Mark tone="info">{t('instanceAccounts.operator')}</Mark>}
          {id === me.id && <Mark>{t('members.you')}</Mark>}
          {!active && <Mark tone="soon">{t('instanceAccounts.notActive')}</Mark>}
          {disabled && <Mark tone="bad">{t('members.disabled')}</Mark>}
        </span>
      ),
    },
    {
      title: t('deployments.columns.created'),
      key: 'created',
      width: 205,
      render: (_value, { created_at }) => <Instant at={created_at} />,
    },
    {
      title: t('common.actions'),
      key: 'actions',
      width: 260,
      render: (_value, account) =>
        account.id !== me.id && (
          <span className="row">
            {may(resetAccount) && <ResetAccountButton account={account} />}
            {may(disableAccount) && <DisableButton account={account} />}
          </span>
        ),
    },
  ];
}

function DisableButton({ account: { id, email, disabled } }: { readonly account: Account }) {
  const { t } = useTranslation();
  const disabling = useChange(disableAccount, ['members']);
  const enabling = useChange(enableAccount, ['members']);
  return (
    <ConfirmButton
      size="small"
      danger={!disabled}
      text={t(disabled ? 'instanceAccounts.enable' : 'instanceAccounts.disable')}
      label={t(disabled ? 'instanceAccounts.enableNamed' : 'instanceAccounts.disableNamed', { email })}
      title={t(disabled ? 'instanceAccounts.enableTitle' : 'instanceAccounts.disableTitle', { email })}
      what={t(disabled ? 'instanceAccounts.enableWhat' : 'instanceAccounts.disableWhat')}
      change={disabled ? enabling : disabling}
      input={{ params: { account_id: id } }}
    />
  );
}
