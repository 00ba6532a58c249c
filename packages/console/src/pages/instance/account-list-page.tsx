import { UserAddOutlined } from '@ant-design/icons';
import { getRouteApi } from '@tanstack/react-router';
import {
  createOperator,
  disableAccount,
  enableAccount,
  listAccounts,
  resetAccount,
} from '@waxwing/contract/management-api/operations/instance-account-operations.ts';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange, usePages } from '../../api/api-context.tsx';
import type { ItemOf } from '../../api/shown-things.ts';
import { useMay, useMe } from '../../api/use-me.ts';
import { ConfirmButton } from '../../parts/dialogs/confirm-button.tsx';
import { Instant } from '../../parts/marks/instant.tsx';
import { Mark } from '../../parts/marks/mark.tsx';
import type { Column } from '../../parts/tables/column.ts';
import { FilterChoice } from '../../parts/tables/filter-bar.tsx';
import { narrowed } from '../../parts/tables/list-filters.ts';
import { ListPage } from '../../parts/tables/list-page.tsx';
import { SearchField } from '../../parts/tables/search-field.tsx';
import { type AccountFilters, accountQuery } from './account-filters.ts';
import { CreateOperatorModal } from './create-operator-modal.tsx';
import { ResetAccountButton } from './reset-account-button.tsx';

const route = getRouteApi('/frame/instance/accounts');
type Account = ItemOf<typeof listAccounts>;

export function AccountListPage() {
  const { t } = useTranslation();
  const may = useMay();
  const navigate = route.useNavigate();
  const filters = route.useSearch();
  const pages = usePages(listAccounts, { query: accountQuery(filters) });
  const [isCreating, setCreating] = useState(false);
  const filter = (search: AccountFilters) => void navigate({ to: '.', search, replace: true });
  const createButton = may(createOperator) && (
    <Button type="primary" icon={<UserAddOutlined />} onClick={() => setCreating(true)}>
      {t('instanceAccounts.create')}
    </Button>
  );
  return (
    <ListPage<Account>
      title={t('instanceAccounts.title')}
      lead={t('instanceAccounts.lead')}
      pages={pages}
      csv={{
        fileName: 'accounts',
        columns: [
          [t('signIn.email'), ({ email }) => email],
          [t('instanceAccounts.operator'), ({ operator }) => t(operator ? 'common.yes' : 'common.no')],
          [t('instanceAccounts.disabled'), ({ disabled }) => t(disabled ? 'common.yes' : 'common.no')],
          [t('common.created'), ({ created_at }) => created_at],
          ['id', ({ id }) => id],
        ],
      }}
      action={createButton}
      filters={
        <search className="filters">
          <SearchField
            label={t('instanceAccounts.searchEmail')}
            value={filters.email}
            onSearch={(email) => filter(narrowed(filters, { email }))}
          />
          <FilterChoice
            label={t('instanceAccounts.kind')}
            any={t('instanceAccounts.everybody')}
            value={filters.operator}
            choices={[
              { value: 'true', label: t('instanceAccounts.operators') },
              { value: 'false', label: t('instanceAccounts.others') },
            ]}
            onChange={(operator) => filter(narrowed(filters, { operator }))}
          />
        </search>
      }
      columns={useColumns()}
      rowKey={({ id }) => id}
      minWidth={820}
      noneFound={{ title: t('instanceAccounts.noneFound'), onClear: () => filter({}) }}
    >
      {isCreating && <CreateOperatorModal onEnd={() => setCreating(false)} />}
    </ListPage>
  );
}

function useColumns(): Column<Account>[] {
  const { t } = useTranslation();
  const me = useMe();
  const may = useMay();
  return [
    {
      title: t('signIn.email'),
      cell: ({ id, email, operator, active, disabled }) => (
        <span className="row">
          <span className="break-anywhere">{email}</span>
          {operator && <Mark tone="info">{t('instanceAccounts.operator')}</Mark>}
          {id === me.id && <Mark>{t('members.you')}</Mark>}
          {!active && <Mark tone="soon">{t('instanceAccounts.notActive')}</Mark>}
          {disabled && <Mark tone="bad">{t('members.disabled')}</Mark>}
        </span>
      ),
    },
    { title: t('common.created'), width: 205, cell: ({ created_at }) => <Instant at={created_at} /> },
    {
      title: t('common.actions'),
      width: 260,
      cell: (account) =>
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
