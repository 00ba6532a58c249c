import {
  ApartmentOutlined,
  CloudServerOutlined,
  SafetyCertificateOutlined,
  TeamOutlined,
  UserOutlined,
} from '@ant-design/icons';
import { Link, useLocation } from '@tanstack/react-router';
import { listCertificates } from '@waxwing/contract/management-api/certificate-operations.ts';
import { listDeployments } from '@waxwing/contract/management-api/deployment-operations.ts';
import { listMembers } from '@waxwing/contract/management-api/member-operations.ts';
import { createOrganization } from '@waxwing/contract/management-api/organization-operations.ts';
import { Menu, type MenuProps } from 'antd';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/use-me.ts';

export interface NavigationMenuProps {
  readonly organizationId: string | undefined;
  readonly onChosen: () => void;
}

/** What there is to go to: only what the person may see. */
export function NavigationMenu({ organizationId, onChosen }: NavigationMenuProps) {
  const { t } = useTranslation();
  const may = useMay(organizationId);
  const { pathname } = useLocation();
  const items: NonNullable<MenuProps['items']> = [];

  if (organizationId !== undefined) {
    const params = { organizationId };
    items.push({
      type: 'group',
      key: 'certificates-group',
      label: t('menu.certificates'),
      children: [
        ...(may(listCertificates)
          ? [
              {
                key: 'certificates',
                icon: <SafetyCertificateOutlined />,
                label: (
                  <Link to="/o/$organizationId/certificates" params={params}>
                    {t('menu.certificateManagement')}
                  </Link>
                ),
              },
            ]
          : []),
        ...(may(listDeployments)
          ? [
              {
                key: 'deployments',
                icon: <CloudServerOutlined />,
                label: (
                  <Link to="/o/$organizationId/deployments" params={params}>
                    {t('menu.serverDeployments')}
                  </Link>
                ),
              },
            ]
          : []),
      ],
    });
    if (may(listMembers)) {
      items.push({
        type: 'group',
        key: 'organization-group',
        label: t('menu.organization'),
        children: [
          {
            key: 'members',
            icon: <TeamOutlined />,
            label: (
              <Link to="/o/$organizationId/members" params={params}>
                {t('menu.members')}
              </Link>
            ),
          },
        ],
      });
    }
  }
  if (may(createOrganization)) {
    items.push({
      type: 'group',
      key: 'instance-group',
      label: t('menu.instance'),
      children: [
        {
          key: 'organizations',
          icon: <ApartmentOutlined />,
          label: <Link to="/organizations">{t('menu.organizations')}</Link>,
        },
      ],
    });
  }
  items.push({
    type: 'group',
    key: 'own-group',
    label: t('menu.own'),
    children: [{ key: 'account', icon: <UserOutlined />, label: <Link to="/account">{t('menu.account')}</Link> }],
  });

  return <Menu mode="inline" items={items} selectedKeys={[selectedKey(pathname)]} onClick={onChosen} />;
}

/** `/o/ID/certificates/…` → `certificates`. */
function selectedKey(pathname: string): string {
  const parts = pathname.split('/').filter((part) => part !== '');
  return (parts[0] === 'o' ? parts[2] : parts[0]) ?? '';
}
