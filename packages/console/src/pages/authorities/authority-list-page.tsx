import { DeleteOutlined, EditOutlined, PlusOutlined } from '@ant-design/icons';
import {
  createAuthority,
  deleteAuthority,
  listAuthorities,
  testAuthority,
  updateAuthority,
} from '@waxwing/contract/management-api/operations/authority-operations.ts';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange, usePages } from '../../api/api-context.tsx';
import type { ItemOf } from '../../api/shown-things.ts';
import { useMay } from '../../api/use-me.ts';
import { ConfirmButton } from '../../parts/dialogs/confirm-button.tsx';
import { Mark } from '../../parts/marks/mark.tsx';
import type { Column } from '../../parts/tables/column.ts';
import { ListPage } from '../../parts/tables/list-page.tsx';
import { CreateAuthorityModal } from './create-authority-modal.tsx';
import { EditAuthorityModal } from './edit-authority-modal.tsx';
import { TestAuthorityButton } from './test-authority-button.tsx';

type Authority = ItemOf<typeof listAuthorities>;

/** The authorities that issue certificates, for operators. */
export function AuthorityListPage() {
  const { t } = useTranslation();
  const may = useMay();
  const pages = usePages(listAuthorities, {});
  const [isCreating, setCreating] = useState(false);
  const [edited, setEdited] = useState<string>();
  return (
    <ListPage<Authority>
      title={t('menu.authorities')}
      lead={t('authorities.lead')}
      pages={pages}
      csv={{
        fileName: 'authorities',
        columns: [
          [t('common.name'), ({ name }) => name],
          [t('authorities.columns.directory'), ({ directory }) => directory],
          [t('authorities.email'), ({ email }) => email],
          [t('authorities.account'), ({ account_url }) => account_url],
          [t('authorities.kid'), ({ eab_kid }) => eab_kid],
          [t('common.created'), ({ created_at }) => created_at],
          ['id', ({ id }) => id],
        ],
      }}
      action={
        may(createAuthority) && (
          <Button type="primary" icon={<PlusOutlined />} onClick={() => setCreating(true)}>
            {t('authorities.create')}
          </Button>
        )
      }
      columns={useColumns(setEdited)}
      rowKey={({ id }) => id}
      minWidth={960}
      none={{ title: t('authorities.none'), lead: t('authorities.noneLead') }}
    >
      {isCreating && <CreateAuthorityModal onEnd={() => setCreating(false)} />}
      {edited !== undefined && <EditAuthorityModal authorityId={edited} onEnd={() => setEdited(undefined)} />}
    </ListPage>
  );
}

function useColumns(onEdit: (id: string) => void): Column<Authority>[] {
  const { t } = useTranslation();
  const may = useMay();
  const deleting = useChange(deleteAuthority);
  const columns: Column<Authority>[] = [
    {
      title: t('common.name'),
      width: 180,
      cell: ({ name, profile }) => (
        <div>
          <div className="break-anywhere">{name}</div>
          {profile !== null && <div className="quiet small break-anywhere">{profile}</div>}
        </div>
      ),
    },
    {
      title: t('authorities.columns.directory'),
      cell: ({ directory, root_pem }) => (
        <div>
          <div className="mono small break-anywhere">{directory}</div>
          {root_pem !== null && <div className="quiet small">{t('authorities.ownRoots')}</div>}
        </div>
      ),
    },
    {
      title: t('authorities.account'),
      width: 240,
      cell: ({ account_url, eab_kid, email }) => (
        <div>
          <div className="break-anywhere">{email}</div>
          <Mark tone={account_url === null ? 'plain' : 'good'}>
            {t(account_url === null ? 'authorities.noAccount' : 'authorities.accountMade')}
          </Mark>
          {eab_kid !== null && <div className="quiet small mono break-anywhere">EAB {eab_kid}</div>}
        </div>
      ),
    },
  ];
  if (!may(updateAuthority)) return columns;
  return [
    ...columns,
    {
      title: t('common.actions'),
      width: 270,
      cell: ({ id, name }) => (
        <span className="row one-line">
          {may(testAuthority) && <TestAuthorityButton authority={{ id, name }} />}
          <Button
            size="small"
            icon={<EditOutlined />}
            aria-label={t('authorities.edit', { name })}
            onClick={() => onEdit(id)}
          >
            {t('common.edit')}
          </Button>
          {may(deleteAuthority) && (
            <ConfirmButton
              danger
              size="small"
              icon={<DeleteOutlined />}
              text={t('common.delete')}
              label={t('common.deleteNamed', { name })}
              title={t('common.deleteTitle', { name })}
              what={t('authorities.deleteWhat')}
              change={deleting}
              input={{ params: { authority_id: id } }}
            />
          )}
        </span>
      ),
    },
  ];
}
