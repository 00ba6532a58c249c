import type { Role } from '@waxwing/contract/management-api/action-roles.ts';
import { Form, Input, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { AllowListField } from '../../parts/allow-list-field.tsx';
import { OpenListConfirmation } from '../../parts/open-list-confirmation.tsx';
import { RoleField } from '../../parts/role-field.tsx';

export interface KeyFieldsProps {
  /** Left out: of the instance. */
  readonly organizationId: string | undefined;
  /** Of a key that is there already: the moment after which it is refused. */
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

/** The moment that was chosen, in RFC 3339; undefined where it stays as it is. */
export function expiryOf({ expiry }: Pick<KeyValues, 'expiry'>, now: number): string | null | undefined {
  if (expiry === 'keep') return undefined;
  return expiry === 'never' ? null : new Date(now + expiry * dayMs).toISOString();
}

/** What a management key is: its name, what it may, from where, until when. */
export function KeyFields({ organizationId, expiresAt }: KeyFieldsProps) {
  const { t } = useTranslation();
  const isPresent = expiresAt !== undefined;
  return (
    <>
      <Form.Item
        name="name"
        label={t('managementKeys.columns.name')}
        extra={t('managementKeys.nameHint')}
        rules={[{ required: true, whitespace: true, message: t('common.required') }]}
        style={{ marginBlockEnd: 0 }}
      >
        <Input autoFocus maxLength={200} placeholder="ci" />
      </Form.Item>
      {organizationId !== undefined && <RoleField organizationId={organizationId} />}
      <Form.Item
        name="allow"
        label={t('deployments.allowList')}
        extra={t('managementKeys.allowHint')}
        style={{ marginBlockEnd: 0 }}
      >
        <AllowListField
          organizationId={organizationId}
          warnings={{ empty: t('managementKeys.emptyAllowList'), open: t('managementKeys.openAllowList') }}
        />
      </Form.Item>
      <OpenListConfirmation />
      <Form.Item name="expiry" label={t('managementKeys.columns.expires')} style={{ marginBlockEnd: 0 }}>
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
