import {
  type AuthorityPresetName,
  authorityPresetNames,
  authorityPresets,
} from '@waxwing/contract/management-api/authority-presets.ts';
import { createAuthority } from '@waxwing/contract/management-api/operations/authority-operations.ts';
import { Form, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { codeKey } from '../../i18n/code-key.ts';
import { FormModal } from '../../parts/forms/form-modal.tsx';
import {
  AuthorityEmailField,
  type AuthorityValues,
  DirectoryField,
  ExternalAccountFields,
  NameField,
  ProfileField,
  RootsField,
} from './authority-fields.tsx';

const accountKeys = ['ec256', 'ec384', 'rsa2048'] as const;
const other = 'other';

interface NewAuthority extends AuthorityValues {
  readonly preset: AuthorityPresetName | typeof other;
  readonly account_key: (typeof accountKeys)[number];
}

const first: AuthorityPresetName = 'letsencrypt';

export function CreateAuthorityModal({ onEnd }: { readonly onEnd: () => void }) {
  const { t } = useTranslation();
  const creating = useChange(createAuthority);
  return (
    <FormModal<NewAuthority>
      title={t('authorities.create')}
      lead={t('authorities.createLead')}
      name="create-authority"
      submit={t('authorities.createSubmit')}
      width={560}
      initialValues={{ preset: first, name: authorityPresets[first].name, account_key: 'ec256' }}
      saving={creating}
      onSave={({ preset, name, directory = '', root_pem = '', email, kid = '', hmac = '', profile = '', ...rest }) =>
        creating.mutate(
          {
            body: {
              name: name.trim(),
              ...(preset === other ? { directory: directory.trim() } : { preset }),
              ...(root_pem.trim() !== '' && { root_pem: root_pem.trim() }),
              email: email.trim(),
              account_key: rest.account_key,
              ...(kid.trim() !== '' && { external_account: { kid: kid.trim(), hmac: hmac.trim() } }),
              ...(profile.trim() !== '' && { profile: profile.trim() }),
            },
          },
          { onSuccess: onEnd },
        )
      }
      onEnd={onEnd}
    >
      <PresetField />
      <NameField />
      <FieldsOfPreset />
      <Form.Item name="account_key" label={t('authorities.accountKey')}>
        <Select options={accountKeys.map((value) => ({ value, label: t(`authorities.accountKeys.${value}`) }))} />
      </Form.Item>
      <ProfileField />
    </FormModal>
  );
}

/** Presets that have a hint below their name. */
const hinted = ['letsencrypt-staging', 'sslcom', 'sslcom-rsa'] as const;

function usePreset(): NewAuthority['preset'] {
  return Form.useWatch<NewAuthority['preset'] | undefined>('preset', Form.useFormInstance()) ?? first;
}

/** The authority by its name. The name of ours follows it until somebody writes another one. */
function PresetField() {
  const { t } = useTranslation();
  const form = Form.useFormInstance<NewAuthority>();
  const preset = usePreset();
  const hint = hinted.find((each) => each === preset);
  const names: readonly string[] = authorityPresetNames.map((each) => authorityPresets[each].name);
  return (
    <Form.Item
      name="preset"
      label={t('authorities.preset')}
      extra={
        preset !== other && (
          <>
            <span className="mono break-anywhere">{authorityPresets[preset].directoryUrl}</span>
            {hint !== undefined && <div>{t(`authorities.presetHints.${codeKey(hint)}`)}</div>}
          </>
        )
      }
    >
      <Select<NewAuthority['preset']>
        options={[
          ...authorityPresetNames.map((value) => ({ value, label: authorityPresets[value].name })),
          { value: other, label: t('authorities.other') },
        ]}
        onChange={(chosen) => {
          // What belongs to one authority is not handed to another.
          form.resetFields(['kid', 'hmac']);
          const name = form.getFieldValue('name')?.trim() ?? '';
          if (name !== '' && !names.includes(name)) return;
          form.setFieldValue('name', chosen === other ? '' : authorityPresets[chosen].name);
        }}
      />
    </Form.Item>
  );
}

function FieldsOfPreset() {
  const { t } = useTranslation();
  const preset = usePreset();
  const known = preset === other ? undefined : authorityPresets[preset];
  return (
    <>
      {known === undefined && (
        <>
          <DirectoryField hint={t('authorities.directoryHint')} />
          <RootsField />
        </>
      )}
      <AuthorityEmailField />
      {known === undefined && <ExternalAccountFields required={false} hint={t('authorities.externalOptional')} />}
      {known?.needsExternalAccount === true && (
        <ExternalAccountFields required={false} hint={t('authorities.externalHint', { name: known.name })} />
      )}
    </>
  );
}
