import { type Role, roles } from '@waxwing/contract/management-api/action-roles.ts';
import { Form, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { useMe } from '../../api/use-me.ts';

/** The roles that the person may give and take in an organization: none above their own. */
export function useGrantableRoles(organizationId: string): readonly Role[] {
  const { operator, organizations } = useMe();
  const own = organizations.find(({ id }) => id === organizationId)?.role;
  return operator ? roles : roles.slice(0, roles.indexOf(own ?? 'viewer') + 1);
}

/** The role of a person or key in an organization. */
export function RoleField({ organizationId }: { readonly organizationId: string }) {
  const { t } = useTranslation();
  const grantable = useGrantableRoles(organizationId);
  return (
    <Form.Item name="role" label={t('members.role')}>
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
