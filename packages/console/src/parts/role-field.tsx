import { type Role, roles } from '@waxwing/contract/management-api/action-roles.ts';
import { Form, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { useMe } from '../api/use-me.ts';

/** The roles that somebody may give and take in an organization: none above their own. */
export function useGrantableRoles(organizationId: string): readonly Role[] {
  const { operator, organizations } = useMe();
  const own = organizations.find(({ id }) => id === organizationId)?.role;
  return operator ? roles : roles.slice(0, roles.indexOf(own ?? 'viewer') + 1);
}

/** What somebody, or a key, may do in an organization. */
export function RoleField({ organizationId }: { readonly organizationId: string }) {
  const { t } = useTranslation();
  const grantable = useGrantableRoles(organizationId);
  return (
    <Form.Item name="role" label={t('members.role')} style={{ marginBlockEnd: 0 }}>
      <Select
        options={grantable.map((value) => ({
          value,
          label: (
            <span>
              {t(`roles.${value}`)} <span className="quiet small">{t(`roleHints.${value}`)}</span>
            </span>
          ),
        }))}
      />
    </Form.Item>
  );
}
