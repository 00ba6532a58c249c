import { UserAddOutlined } from '@ant-design/icons';
import { getRouteApi } from '@tanstack/react-router';
import { type Role, roleSuffices } from '@waxwing/contract/management-api/action-roles.ts';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import {
  createInvitation,
  listInvitations,
  listMembers,
  removeMember,
  revokeInvitation,
  updateMember,
} from '@waxwing/contract/management-api/operations/member-operations.ts';
import { Button, Select } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange, usePages } from '../../api/api-context.tsx';
import { useMay, useMe } from '../../api/use-me.ts';
import { ConfirmButton } from '../../parts/dialogs/confirm-button.tsx';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { useGrantableRoles } from '../../parts/forms/role-field.tsx';
import { Instant } from '../../parts/marks/instant.tsx';
import { Mark } from '../../parts/marks/mark.tsx';
import type { Column } from '../../parts/tables/column.ts';
import { ItemTable } from '../../parts/tables/item-table.tsx';
import { ListPage } from '../../parts/tables/list-page.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';
import { InviteModal } from './invite-modal.tsx';
import { LeaveButton } from './leave-button.tsx';

const route = getRouteApi('/frame/o/$organizationId/members');
type Member = AnswerOf<typeof listMembers>['items'][number];
type Invitation = AnswerOf<typeof listInvitations>['items'][number];

export function MemberListPage() {
  const { t } = useTranslation();
  const { organizationId } = route.useParams();
  const may = useMay(organizationId);
  const input = { params: { organization_id: organizationId } };
  const pages = usePages(listMembers, input);
  const me = useMe();
  const [isInviting, setInviting] = useState(false);
  /** The lesser role that the person is about to give themselves. */
  const [lesser, setLesser] = useState<Role>();
  // The person may change their own role, and with it their rights.
  const changing = useChange(updateMember, ['account']);
  const inviteButton = may(createInvitation) && (
    <Button type="primary" icon={<UserAddOutlined />} onClick={() => setInviting(true)}>
      {t('members.invite')}
    </Button>
  );
  return (
    <ListPage<Member>
      title={t('menu.members')}
      lead={t('members.lead')}
      pages={pages}
      csv={{
        fileName: 'members',
        columns: [
          [t('signIn.email'), ({ email }) => email],
          [t('members.role'), ({ role }) => t(`roles.${role}`)],
          [t('members.since'), ({ created_at }) => created_at],
        ],
      }}
      action={inviteButton}
      above={lesser === undefined && <ProblemAlert error={changing.error} />}
      below={may(listInvitations) && <Invitations organizationId={organizationId} />}
      columns={useMemberColumns(organizationId, ({ account_id, role: former }, role) => {
        changing.reset();
        if (account_id === me.id && !roleSuffices(role, former)) setLesser(role);
        else changing.mutate({ params: { organization_id: organizationId, account_id }, body: { role } });
      })}
      rowKey={({ account_id }) => account_id}
      minWidth={720}
      none={{ title: t('members.none'), lead: t('members.noneLead') }}
    >
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
    </ListPage>
  );
}

function useMemberColumns(organizationId: string, onRole: (member: Member, role: Role) => void): Column<Member>[] {
  const { t } = useTranslation();
  const me = useMe();
  const may = useMay(organizationId);
  const grantable = useGrantableRoles(organizationId);
  const removing = useChange(removeMember);
  return [
    {
      title: t('signIn.email'),
      cell: ({ email, account_id, disabled }) => (
        <span className="row">
          <span className="break-anywhere">{email}</span>
          {account_id === me.id && <Mark>{t('members.you')}</Mark>}
          {disabled && <Mark tone="bad">{t('members.disabled')}</Mark>}
        </span>
      ),
    },
    {
      title: t('members.role'),
      width: 200,
      cell: (member) =>
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
    { title: t('members.since'), width: 205, cell: ({ created_at }) => <Instant at={created_at} /> },
    {
      title: t('common.actions'),
      width: 100,
      cell: ({ account_id, email, role }) =>
        account_id === me.id ? (
          <LeaveButton organizationId={organizationId} />
        ) : (
          may(removeMember) &&
          grantable.includes(role) && (
            <ConfirmButton
              danger
              size="small"
              text={t('common.remove')}
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
  const columns: Column<Invitation>[] = [
    { title: t('signIn.email'), cell: ({ email }) => email },
    { title: t('members.role'), width: 160, cell: ({ role }) => t(`roles.${role}`) },
    { title: t('members.expires'), width: 205, cell: ({ expires_at }) => <Instant at={expires_at} /> },
    {
      title: t('common.actions'),
      width: 100,
      cell: ({ id, email }) =>
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
