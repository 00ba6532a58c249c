import { LogoutOutlined, MenuOutlined, UserOutlined } from '@ant-design/icons';
import { Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { signOut } from '@waxwing/contract/management-api/operations/account-operations.ts';
import { App, Button, Dropdown, Grid, Layout } from 'antd';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../../api/api-context.tsx';
import { toApiProblem } from '../../api/api-problem.ts';
import { useLiveChanges } from '../../api/live-changes.tsx';
import { belongsTo } from '../../api/me.ts';
import { useMe } from '../../api/use-me.ts';
import { useTouchedTime } from '../../parts/forms/use-touched-time.ts';
import { OrganizationName } from '../../parts/marks/organization-name.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';
import { NavigationMenu } from './navigation-menu.tsx';
import { OrganizationSwitcher } from './organization-switcher.tsx';
import { PreferenceMenus } from './preference-menus.tsx';
import { forgetOrganization, recentOrganization, rememberOrganization } from './recent-organization.ts';

/** Loaded in narrow windows only. */
const NavigationDrawer = lazy(async () => ({ default: (await import('./navigation-drawer.tsx')).NavigationDrawer }));

export function ConsoleFrame() {
  const { t } = useTranslation();
  const me = useMe();
  const params: { organizationId?: string } = useParams({ strict: false });
  const { lg: isWide = true } = Grid.useBreakpoint();
  const [isOpen, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  useTouchedTime(main);
  const isShown = params.organizationId !== undefined && belongsTo(me, params.organizationId);
  const organizationId = isShown ? params.organizationId : recentOrganization(me);

  useEffect(() => {
    if (isShown && organizationId !== undefined) rememberOrganization(organizationId);
  }, [isShown, organizationId]);
  const isConnectionLost = useLiveChanges({ organizationId, isInstance: params.organizationId === undefined });

  const sider = (
    <div className="sider-inner">
      <div className="brand">
        <img src="/console/mark.svg" alt="" />
        Waxwing
      </div>
      <div className="sider-organization">
        <OrganizationSwitcher organizationId={organizationId} onChosen={() => setOpen(false)} />
      </div>
      <nav className="sider-menu" aria-label={t('shell.navigation')}>
        <NavigationMenu organizationId={organizationId} onChosen={() => setOpen(false)} />
      </nav>
    </div>
  );

  return (
    <Layout>
      <a className="skip-link" href="#main">
        {t('shell.skipToContent')}
      </a>
      {isWide ? (
        <Layout.Sider width={236} theme="light" className="shell-sider">
          {sider}
        </Layout.Sider>
      ) : (
        <Suspense>
          <NavigationDrawer isOpen={isOpen} onClose={() => setOpen(false)}>
            {sider}
          </NavigationDrawer>
        </Suspense>
      )}
      <Layout>
        <Layout.Header className="shell-header">
          {!isWide && (
            <Button
              type="text"
              icon={<MenuOutlined />}
              aria-label={t('shell.openNavigation')}
              onClick={() => setOpen(true)}
            />
          )}
          <span className="grow header-organization">
            {!isWide && params.organizationId !== undefined && isShown && (
              <OrganizationName organizationId={params.organizationId} />
            )}
          </span>
          <PreferenceMenus />
          <AccountMenu email={me.email} />
        </Layout.Header>
        <div role="status">
          {isConnectionLost && <div className="connection-lost">{t('shell.connectionLost')}</div>}
        </div>
        <main id="main" ref={main} className="shell-main" tabIndex={-1}>
          <Outlet />
        </main>
      </Layout>
    </Layout>
  );
}

function AccountMenu({ email }: { readonly email: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const leave = useLeaving();

  return (
    <Dropdown
      trigger={['click']}
      menu={{
        items: [
          { key: 'account', icon: <UserOutlined />, label: t('menu.account') },
          { type: 'divider' },
          { key: 'sign-out', icon: <LogoutOutlined />, label: t('shell.signOut') },
        ],
        onClick: ({ key }) => void (key === 'account' ? navigate({ to: '/account' }) : leave()),
      }}
    >
      <Button type="text" icon={<UserOutlined />} aria-label={t('shell.accountMenu', { email })}>
        <span className="wide-only account-name">{email}</span>
      </Button>
    </Dropdown>
  );
}

/** Signs out. A failure is shown, so that nobody believes they are signed out. */
function useLeaving(): () => Promise<void> {
  const { t } = useTranslation();
  const { modal } = App.useApp();
  const { call } = useApi();
  return async function leave() {
    try {
      await call(signOut, {});
    } catch (error) {
      if (toApiProblem(error).code !== 'unauthenticated') {
        void modal.confirm({
          title: t('shell.stillSignedIn'),
          content: <ProblemAlert error={error} />,
          okText: t('common.retry'),
          cancelText: t('common.cancel'),
          onOk: leave,
        });
        return;
      }
    }
    forgetOrganization();
    // A new document: no data of this person stays in memory.
    location.assign('/console/sign-in');
  };
}
