import { Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { TextField } from '../../parts/forms/text-field.tsx';

export interface AuthorityValues {
  readonly name: string;
  readonly directory?: string;
  readonly root_pem?: string;
  readonly email: string;
  readonly kid?: string;
  readonly hmac?: string;
  readonly profile?: string;
}

const httpsForm = /^\s*https:\/\/[^\s/?#@]+[^\s#@]*\s*$/i;
const emailForm = /^\s*[^\s@]+@[^\s@]+\s*$/;

export function NameField() {
  const { t } = useTranslation();
  return <TextField name="name" label={t('common.name')} placeholder={t('authorities.namePlaceholder')} />;
}

export function DirectoryField({ hint }: { readonly hint: string }) {
  const { t } = useTranslation();
  return (
    <Form.Item
      name="directory"
      label={t('authorities.directory')}
      extra={hint}
      rules={[
        { required: true, whitespace: true },
        { pattern: httpsForm, message: t('authorities.directoryForm') },
      ]}
    >
      <Input
        className="mono"
        inputMode="url"
        maxLength={2000}
        autoComplete="off"
        spellCheck={false}
        placeholder="https://ca.example.com/acme/directory"
      />
    </Form.Item>
  );
}

export function RootsField() {
  const { t } = useTranslation();
  return (
    <Form.Item
      name="root_pem"
      label={t('authorities.roots')}
      extra={t('authorities.rootsHint')}
      rules={[{ pattern: /-----BEGIN CERTIFICATE-----/, message: t('authorities.rootsForm') }]}
    >
      <Input.TextArea className="mono" rows={3} maxLength={100_000} autoComplete="off" spellCheck={false} />
    </Form.Item>
  );
}

export function AuthorityEmailField() {
  const { t } = useTranslation();
  return (
    <TextField
      name="email"
      label={t('authorities.email')}
      hint={t('authorities.emailHint')}
      maxLength={254}
      placeholder="ops@example.com"
      rules={[{ pattern: emailForm, message: t('authorities.emailForm') }]}
    />
  );
}

interface ExternalAccountProps {
  readonly required: boolean;
  readonly hint: string;
  /** The key id that is stored: its HMAC key is kept where the field stays empty. */
  readonly kept?: string | undefined;
}

/** The key id and the HMAC key by which the account is bound to one that the operator has there. */
export function ExternalAccountFields({ required, hint, kept }: ExternalAccountProps) {
  const { t } = useTranslation();
  const form = Form.useFormInstance<AuthorityValues>();
  const typed = (name: 'kid' | 'hmac') => form.getFieldValue(name)?.trim() ?? '';
  /** The one goes with the other; a stored key ID has its HMAC key already. */
  const together = (own: 'kid' | 'hmac') => ({
    validator: () => {
      const other = own === 'kid' ? 'hmac' : 'kid';
      const isKept = own === 'hmac' && kept !== undefined && typed('kid') === kept;
      if (typed(own) !== '' || isKept || !(required || typed(other) !== '')) return Promise.resolve();
      const message = t(own === 'hmac' && kept !== undefined ? 'authorities.hmacTogether' : 'common.required');
      return Promise.reject(new Error(message));
    },
  });
  return (
    <fieldset className="choices">
      <legend className="panel-title">{t('authorities.external')}</legend>
      <div className="stack">
        <p className="quiet small">{hint}</p>
        <Form.Item
          name="kid"
          label={t('authorities.kid')}
          dependencies={['hmac']}
          rules={[together('kid'), { pattern: /^\s*[\x21-\x7e]*\s*$/, message: t('authorities.kidForm') }]}
        >
          <Input className="mono" maxLength={400} autoComplete="off" spellCheck={false} />
        </Form.Item>
        <Form.Item
          name="hmac"
          label={t('authorities.hmac')}
          dependencies={['kid']}
          extra={t(kept === undefined ? 'dnsProviders.secretHint' : 'authorities.hmacKept')}
          rules={[together('hmac'), { pattern: /^\s*[\w+/-]{16,}=*\s*$/, message: t('authorities.hmacForm') }]}
        >
          <Input.Password className="mono" maxLength={1000} autoComplete="new-password" />
        </Form.Item>
      </div>
    </fieldset>
  );
}

export function ProfileField() {
  const { t } = useTranslation();
  return (
    <Form.Item
      name="profile"
      label={t('authorities.profile')}
      extra={t('authorities.profileHint')}
      rules={[{ pattern: /^\s*[A-Za-z0-9._-]{0,64}\s*$/, message: t('authorities.profileForm') }]}
    >
      <Input className="mono" maxLength={64} autoComplete="off" spellCheck={false} />
    </Form.Item>
  );
}
