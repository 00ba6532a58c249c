import type { Role } from '@waxwing/contract/management-api/action-roles.ts';
import { Form, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { NameAndAddresses } from '../../parts/forms/name-and-addresses.tsx';
import { RoleField } from '../../parts/forms/role-field.tsx';

interface KeyFieldsProps {
  /** Left out: of the instance. */
  readonly organizationId: string | undefined;
  /** The expiry of an existing key; left out: the key is new. */
  readonly expiresAt?: string | null;
}

export interface KeyValues {
  readonly name: string;
  readonly role?: Role;
  readonly allow: string[];
  /** `keep`: as it is; `never`; else days from now. */
  readonly expiry: 'keep' | 'never' | number;
}

const expiryDays = [7, 30, 90, 365] as const;
const dayMs = 86_400_000;

/** The chosen expiry in RFC 3339; null: never; undefined: unchanged. */
export function expiryOf({ expiry }: Pick<KeyValues, 'expiry'>, now: number): string | null | undefined {
  if (expiry === 'keep') return undefined;
  return expiry === 'never' ? null : new Date(now + expiry * dayMs).toISOString();
}

/** The fields of a management key. */
export function KeyFields({ organizationId, expiresAt }: KeyFieldsProps) {
  const { t } = useTranslation();
  const isPresent = expiresAt !== undefined;
  return (
    <>
      <NameAndAddresses
        organizationId={organizationId}
        nameHint={t('managementKeys.nameHint')}
        namePlaceholder="ci"
        allowHint={t('managementKeys.allowHint')}
        warnings={{ empty: t('managementKeys.emptyAllowList'), open: t('managementKeys.openAllowList') }}
      >
        {organizationId !== undefined && <RoleField organizationId={organizationId} />}
      </NameAndAddresses>
      <Form.Item name="expiry" label={t('members.expires')}>
        <Select
          options={[
            ...(isPresent ? [{ value: 'keep', label: t('managementKeys.expiry.keep') }] : []),
            ...expiryDays.map((value) => ({ value, label: t('managementKeys.expiry.days', { count: value }) })),
            { value: 'never', label: t('managementKeys.expiry.never') },
          ]}
        />
      </Form.Item>
    </>
  );
}
