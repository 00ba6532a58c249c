import {
  ApartmentOutlined,
  ApiOutlined,
  AuditOutlined,
  BellOutlined,
  CalendarOutlined,
  CloudServerOutlined,
  GlobalOutlined,
  HeartOutlined,
  IdcardOutlined,
  InboxOutlined,
  KeyOutlined,
  MessageOutlined,
  NodeIndexOutlined,
  NotificationOutlined,
  QuestionCircleOutlined,
  SafetyCertificateOutlined,
  SendOutlined,
  SettingOutlined,
  StopOutlined,
  TeamOutlined,
  UserDeleteOutlined,
  UserOutlined,
} from '@ant-design/icons';
import { Link, type LinkProps, useLocation } from '@tanstack/react-router';
import type { Operation } from '@waxwing/contract/management-api/operation.ts';
import {
  alertsOfInstance,
  alertsOfOrganization,
} from '@waxwing/contract/management-api/operations/alert-operations.ts';
import { listAudit, listInstanceAudit } from '@waxwing/contract/management-api/operations/audit-operations.ts';
import { listAuthorities } from '@waxwing/contract/management-api/operations/authority-operations.ts';
import { listCarriers, listRoutes } from '@waxwing/contract/management-api/operations/carrier-operations.ts';
import { listCertificates, listRenewals } from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import { listDeployments } from '@waxwing/contract/management-api/operations/deployment-operations.ts';
import { listDnsProviders } from '@waxwing/contract/management-api/operations/dns-provider-operations.ts';
import { listAccounts } from '@waxwing/contract/management-api/operations/instance-account-operations.ts';
import { showInstance } from '@waxwing/contract/management-api/operations/instance-operations.ts';
import {
  ofInstance as instanceKeys,
  ofOrganization as organizationKeys,
} from '@waxwing/contract/management-api/operations/management-key-operations.ts';
import { listMembers } from '@waxwing/contract/management-api/operations/member-operations.ts';
import {
  listMessages,
  listReplies,
  listUnmatchedReplies,
} from '@waxwing/contract/management-api/operations/message-operations.ts';
import { listMessagingKeys } from '@waxwing/contract/management-api/operations/messaging-key-operations.ts';
import {
  blockedNumbers,
  instanceBlockedNumbers,
  optOuts,
} from '@waxwing/contract/management-api/operations/messaging-list-operations.ts';
import { showMessagingSettings } from '@waxwing/contract/management-api/operations/messaging-setting-operations.ts';
import { createOrganization } from '@waxwing/contract/management-api/operations/organization-operations.ts';
import { listPushes } from '@waxwing/contract/management-api/operations/push-operations.ts';
import { listPushSettings } from '@waxwing/contract/management-api/operations/push-setting-operations.ts';
import { Menu } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Me } from '../../api/me.ts';
import { useMay, useMe } from '../../api/use-me.ts';

interface NavigationMenuProps {
  readonly organizationId: string | undefined;
  readonly onChosen: () => void;
}

type Module = Me['modules'][number];

interface Entry {
  readonly to: NonNullable<LinkProps['to']>;
  readonly icon: ReactNode;
  readonly label: string;
  /** Hides the entry from people who may not do this. */
  readonly needs?: Pick<Operation, 'action'>;
  /** The module that it belongs to; left out: to none. */
  readonly of?: Module;
}

interface Group {
  readonly key: string;
  readonly of?: Module;
  readonly label: string;
  readonly entries: readonly Entry[];
}

/** The navigation: pages that the person may see, of the modules that are on. */
export function NavigationMenu({ organizationId, onChosen }: NavigationMenuProps) {
  const { t } = useTranslation();
  const may = useMay(organizationId);
  const { modules } = useMe();
  const { pathname } = useLocation();

  const ofOrganization: readonly Group[] = [
    {
      key: 'certificates-group',
      of: 'certificates',
      label: t('menu.certificates'),
      entries: [
        {
          to: '/o/$organizationId/certificates',
          icon: <SafetyCertificateOutlined />,
          label: t('menu.certificateManagement'),
          needs: listCertificates,
        },
        {
          to: '/o/$organizationId/deployments',
          icon: <CloudServerOutlined />,
          label: t('menu.serverDeployments'),
          needs: listDeployments,
        },
        {
          to: '/o/$organizationId/dns-providers',
          icon: <GlobalOutlined />,
          label: t('menu.dnsProviders'),
          needs: listDnsProviders,
        },
        {
          to: '/o/$organizationId/renewals',
          icon: <CalendarOutlined />,
          label: t('menu.renewals'),
          needs: listRenewals,
        },
      ],
    },
    {
      key: 'messaging-group',
      of: 'messaging',
      label: t('menu.messaging'),
      entries: [
        {
          to: '/o/$organizationId/messages',
          icon: <MessageOutlined />,
          label: t('menu.messages'),
          needs: listMessages,
        },
        { to: '/o/$organizationId/replies', icon: <InboxOutlined />, label: t('menu.replies'), needs: listReplies },
        {
          to: '/o/$organizationId/opt-outs',
          icon: <UserDeleteOutlined />,
          label: t('menu.optOuts'),
          needs: optOuts.list,
        },
        {
          to: '/o/$organizationId/blocked',
          icon: <StopOutlined />,
          label: t('menu.blocked'),
          needs: blockedNumbers.list,
        },
        {
          to: '/o/$organizationId/push-settings',
          icon: <ApiOutlined />,
          label: t('menu.pushSettings'),
          needs: listPushSettings,
        },
        { to: '/o/$organizationId/pushes', icon: <SendOutlined />, label: t('menu.pushes'), needs: listPushes },
        {
          to: '/o/$organizationId/messaging-keys',
          icon: <KeyOutlined />,
          label: t('menu.messagingKeys'),
          needs: listMessagingKeys,
        },
        {
          to: '/o/$organizationId/messaging-settings',
          icon: <SettingOutlined />,
          label: t('menu.messagingSettings'),
          needs: showMessagingSettings,
        },
      ],
    },
    {
      key: 'organization-group',
      label: t('shell.organization'),
      entries: [
        { to: '/o/$organizationId/members', icon: <TeamOutlined />, label: t('menu.members'), needs: listMembers },
        {
          to: '/o/$organizationId/management-keys',
          icon: <KeyOutlined />,
          label: t('menu.managementKeys'),
          needs: organizationKeys.list,
        },
        {
          to: '/o/$organizationId/alerts',
          icon: <BellOutlined />,
          label: t('menu.alerts'),
          needs: alertsOfOrganization.alerts,
        },
        {
          to: '/o/$organizationId/alert-channels',
          icon: <NotificationOutlined />,
          label: t('menu.alertChannels'),
          needs: alertsOfOrganization.list,
        },
        { to: '/o/$organizationId/audit', icon: <AuditOutlined />, label: t('menu.audit'), needs: listAudit },
      ],
    },
  ];
  const always: readonly Group[] = [
    {
      key: 'instance-group',
      label: t('menu.instance'),
      entries: [
        {
          to: '/organizations',
          icon: <ApartmentOutlined />,
          label: t('menu.organizations'),
          needs: createOrganization,
        },
        { to: '/instance/health', icon: <HeartOutlined />, label: t('menu.health'), needs: showInstance },
        {
          to: '/instance/renewals',
          icon: <CalendarOutlined />,
          label: t('menu.renewals'),
          needs: showInstance,
          of: 'certificates',
        },
        { to: '/instance/accounts', icon: <IdcardOutlined />, label: t('menu.accounts'), needs: listAccounts },
        {
          to: '/instance/authorities',
          icon: <SafetyCertificateOutlined />,
          label: t('menu.authorities'),
          needs: listAuthorities,
          of: 'certificates',
        },
        {
          to: '/instance/carriers',
          icon: <SendOutlined />,
          label: t('menu.carriers'),
          needs: listCarriers,
          of: 'messaging',
        },
        {
          to: '/instance/routes',
          icon: <NodeIndexOutlined />,
          label: t('menu.routes'),
          needs: listRoutes,
          of: 'messaging',
        },
        {
          to: '/instance/replies',
          icon: <QuestionCircleOutlined />,
          label: t('menu.unmatchedReplies'),
          needs: listUnmatchedReplies,
          of: 'messaging',
        },
        {
          to: '/instance/blocked',
          icon: <StopOutlined />,
          label: t('menu.blockedEverywhere'),
          needs: instanceBlockedNumbers.list,
          of: 'messaging',
        },
        {
          to: '/instance/management-keys',
          icon: <KeyOutlined />,
          label: t('menu.managementKeys'),
          needs: instanceKeys.list,
        },
        {
          to: '/instance/alerts',
          icon: <BellOutlined />,
          label: t('menu.alerts'),
          needs: alertsOfInstance.alerts,
        },
        {
          to: '/instance/alert-channels',
          icon: <NotificationOutlined />,
          label: t('menu.alertChannels'),
          needs: alertsOfInstance.list,
        },
        { to: '/instance/audit', icon: <AuditOutlined />, label: t('menu.audit'), needs: listInstanceAudit },
      ],
    },
    {
      key: 'own-group',
      label: t('menu.own'),
      entries: [{ to: '/account', icon: <UserOutlined />, label: t('menu.account') }],
    },
  ];

  const params = organizationId === undefined ? {} : { organizationId };
  const items = [...(organizationId === undefined ? [] : ofOrganization), ...always].flatMap((group) => {
    const children = group.entries
      .filter(({ needs }) => needs === undefined || may(needs))
      .filter(({ of = group.of }) => of === undefined || modules.includes(of))
      .map(({ to, icon, label }) => ({
        key: selectedKey(to),
        icon,
        label: (
          <Link to={to} params={params}>
            {label}
          </Link>
        ),
      }));
    return children.length === 0 ? [] : [{ type: 'group' as const, key: group.key, label: group.label, children }];
  });
  return <Menu mode="inline" items={items} selectedKeys={[selectedKey(pathname)]} onClick={onChosen} />;
}

/** `/o/ID/certificates/…` → `certificates`; `/instance/audit` → `instance/audit`, as both have a trail. */
function selectedKey(path: string): string {
  const [first = '', second, third = ''] = path.split('/').filter((part) => part !== '');
  if (first === 'o') return third;
  return first === 'instance' ? `instance/${second}` : first;
}
