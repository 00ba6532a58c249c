import { showAuthority, updateAuthority } from '@waxwing/contract/management-api/operations/authority-operations.ts';
import { Checkbox, Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { useEdit } from '../../api/use-edit.ts';
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

interface EditAuthorityModalProps {
  readonly authorityId: string;
  readonly onEnd: () => void;
}

interface EditedAuthority extends AuthorityValues {
  readonly withoutExternal?: boolean;
}

/** Changes an authority as it is at the moment of opening. What stays as it was is not sent: it may make a new account. */
export function EditAuthorityModal({ authorityId, onEnd }: EditAuthorityModalProps) {
  const { t } = useTranslation();
  const { opened, form, save } = useEdit(showAuthority, updateAuthority, { params: { authority_id: authorityId } });
  const was = opened?.value;
  const kept = was?.eab_kid ?? undefined;
  return (
    <FormModal<EditedAuthority>
      title={was === undefined ? t('common.edit') : t('authorities.edit', { name: was.name })}
      name="edit-authority"
      width={560}
      {...form}
      initialValues={
        was && {
          name: was.name,
          directory: was.directory,
          root_pem: was.root_pem ?? '',
          email: was.email,
          kid: kept ?? '',
          profile: was.profile ?? '',
        }
      }
      onSave={(values) => {
        if (was === undefined) return;
        const { directory = '', root_pem = '', kid = '', hmac = '', profile = '', withoutExternal = false } = values;
        const roots = root_pem.trim();
        const body = {
          name: values.name.trim(),
          email: values.email.trim(),
          ...(directory.trim() !== was.directory && { directory: directory.trim() }),
          ...(roots !== (was.root_pem ?? '').trim() && { root_pem: roots === '' ? null : roots }),
          ...(hmac.trim() !== '' && { external_account: { kid: kid.trim(), hmac: hmac.trim() } }),
          ...(withoutExternal && { external_account: null }),
          profile: profile.trim() === '' ? null : profile.trim(),
        };
        save({ body }, onEnd);
      }}
      onEnd={onEnd}
    >
      <NameField />
      <DirectoryField hint={t('authorities.accountHint')} />
      <RootsField />
      <AuthorityEmailField />
      <ExternalAccount kept={kept} />
      <ProfileField />
    </FormModal>
  );
}

function ExternalAccount({ kept }: { readonly kept: string | undefined }) {
  const { t } = useTranslation();
  const isRemoved = Form.useWatch<boolean | undefined>('withoutExternal', Form.useFormInstance()) === true;
  return (
    <>
      {!isRemoved && (
        <ExternalAccountFields required={kept !== undefined} hint={t('authorities.externalOptional')} kept={kept} />
      )}
      {kept !== undefined && (
        <Form.Item name="withoutExternal" valuePropName="checked">
          <Checkbox>{t('authorities.externalRemove')}</Checkbox>
        </Form.Item>
      )}
    </>
  );
}
