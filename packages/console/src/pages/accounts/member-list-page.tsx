import { UserAddOutlined } from '@ant-design/icons';
import { getRouteApi } from '@tanstack/react-router';
import { type Role, roleSuffices } from '@waxwing/contract/management-api/action-roles.ts';
import {
  createInvitation,
  listInvitations,
  listMembers,
  removeMember,
  revokeInvitation,
  updateMember,
} from '@waxwing/contract/management-api/member-operations.ts';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import { Button, Select, type TableColumnType } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { everyItem, useApi, useChange, usePages } from '../../api/api-context.tsx';
import { useMay, useMe } from '../../api/use-me.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ItemTable } from '../../parts/item-table.tsx';
import { Mark } from '../../parts/mark.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useGrantableRoles } from '../../parts/role-field.tsx';
import { InviteModal } from './invite-modal.tsx';
import { LeaveButton } from './leave-button.tsx';

const route = getRouteApi('/frame/o/$organizationId/members');
type Member = AnswerOf<typeof listMembers>['items'][number];
type Invitation = AnswerOf<typeof listInvitations>['items'][number];

/** The people of an organization, and those who were invited. */
export function MemberListPage() {
  const { t } = useTranslation();
  const api = useApi();
  const { organizationId } = route.useParams();
  const may = useMay(organizationId);
  const input = { params: { organization_id: organizationId } };
  const pages = usePages(listMembers, input);
  const me = useMe();
  const [isInviting, setInviting] = useState(false);
  /** What the person is about to make of their own role. */
  const [lesser, setLesser] = useState<Role>();
  // It may be one's own role, and with it what one may do.
  const changing = useChange(updateMember, ['account']);
  const inviteButton = may(createInvitation) && (
    <Button type="primary" icon={<UserAddOutlined />} onClick={() => setInviting(true)}>
      {t('members.invite')}
    </Button>
  );
  return (
    <>
      <PageHead
        title={t('members.title')}
        lead={t('members.lead')}
        actions={
          <>
            <ExportCsv<Member>
              fileName="members"
              items={(signal) => everyItem(api, listMembers, input, signal)}
              columns={[
                [t('signIn.email'), ({ email }) => email],
                [t('members.role'), ({ role }) => t(`roles.${role}`)],
                [t('members.since'), ({ created_at }) => created_at],
              ]}
            />
            {inviteButton}
          </>
        }
      />
      <div className="stack">
        {changing.error !== null && lesser === undefined && <ProblemAlert error={changing.error} />}
        <ItemTable<Member>
          label={t('members.title')}
          pages={pages}
          columns={useMemberColumns(organizationId, ({ account_id, role: former }, role) => {
            changing.reset();
            if (account_id === me.id && !roleSuffices(role, former)) setLesser(role);
            else changing.mutate({ params: { organization_id: organizationId, account_id }, body: { role } });
          })}
          rowKey={({ account_id }) => account_id}
          minWidth={720}
          empty={
            <EmptyState title={t('members.none')} action={inviteButton}>
              {t('members.noneLead')}
            </EmptyState>
          }
        />
        {may(listInvitations) && <Invitations organizationId={organizationId} />}
      </div>
      {lesser !== undefined && (
        <ConfirmDialog
          danger
          title={t('members.lessenTitle', { role: t(`roles.${lesser}`) })}
          what={t('members.lessenWhat')}
          okText={t('members.lessen')}
          change={changing}
          input={{ params: { organization_id: organizationId, account_id: me.id }, body: { role: lesser } }}
          onEnd={() => setLesser(undefined)}
        />
      )}
      {isInviting && <InviteModal organizationId={organizationId} onEnd={() => setInviting(false)} />}
    </>
  );
}

function useMemberColumns(
  organizationId: string,
  onRole: (member: Member, role: Role) => void,
): TableColumnType<Member>[] {
  const { t } = useTranslation();
  const me = useMe();
  const may = useMay(organizationId);
  const grantable = useGrantableRoles(organizationId);
  const removing = useChange(removeMember);
  return [
    {
      title: t('signIn.email'),
      key: 'email',
      render: (_value, { email, account_id, disabled }) => (
        <span className="row">
          <span className="break-anywhere">{email}</span>
          {account_id === me.id && <Mark>{t('members.you')}</Mark>}
          {disabled && <Mark tone="bad">{t('members.disabled')}</Mark>}
        </span>
      ),
    },
    {
      title: t('members.role'),
      key: 'role',
      width: 200,
      render: (_value, member) =>
        may(updateMember) && !member.by_sso && grantable.includes(member.role) ? (
          <Select
            size="small"
            style={{ width: 160 }}
            aria-label={t('members.roleOf', { email: member.email })}
            value={member.role}
            options={grantable.map((value) => ({ value, label: t(`roles.${value}`) }))}
            onChange={(next: Role) => onRole(member, next)}
          />
        ) : (
          t(`roles.${member.role}`)
        ),
    },
    {
      title: t('members.since'),
      key: 'since',
      width: 205,
      render: (_value, { created_at }) => <Instant at={created_at} />,
    },
    {
      title: t('common.actions'),
      key: 'actions',
      width: 100,
      render: (_value, { account_id, email, role }) =>
        account_id === me.id ? (
          <LeaveButton organizationId={organizationId} />
        ) : (
          may(removeMember) &&
          grantable.includes(role) && (
            <ConfirmButton
              danger
              size="small"
              text={t('account.remove')}
              label={t('members.removeNamed', { email })}
              title={t('members.removeTitle', { email })}
              what={t('members.removeWhat')}
              change={removing}
              input={{ params: { organization_id: organizationId, account_id } }}
            />
          )
        ),
    },
  ];
}

function Invitations({ organizationId }: { readonly organizationId: string }) {
  const { t } = useTranslation();
  const may = useMay(organizationId);
  const pages = usePages(listInvitations, { params: { organization_id: organizationId } });
  const revoking = useChange(revokeInvitation);
  if (pages.items === undefined || pages.items.length === 0) return null;
  const columns: TableColumnType<Invitation>[] = [
    { title: t('signIn.email'), dataIndex: 'email' },
    { title: t('members.role'), key: 'role', width: 160, render: (_value, { role }) => t(`roles.${role}`) },
    {
      title: t('members.expires'),
      key: 'expires',
      width: 205,
      render: (_value, { expires_at }) => <Instant at={expires_at} />,
    },
    {
      title: t('common.actions'),
      key: 'actions',
      width: 100,
      render: (_value, { id, email }) =>
        may(revokeInvitation) && (
          <ConfirmButton
            size="small"
            danger
            text={t('members.revoke')}
            label={t('members.revokeNamed', { email })}
            title={t('members.revokeTitle', { email })}
            what={t('members.revokeWhat')}
            change={revoking}
            input={{ params: { organization_id: organizationId, invitation_id: id } }}
          />
        ),
    },
  ];
  return (
    <div>
      <h2 className="panel-title">{t('members.invitations')}</h2>
      <ItemTable<Invitation>
        label={t('members.invitations')}
        pages={pages}
        columns={columns}
        rowKey={({ id }) => id}
        minWidth={640}
        empty={null}
      />
    </div>
  );
}
