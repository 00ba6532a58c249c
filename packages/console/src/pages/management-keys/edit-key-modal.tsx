import { Form, Switch } from 'antd';
import { useTranslation } from 'react-i18next';
import { useEdit } from '../../api/use-edit.ts';
import { FormModal } from '../../parts/forms/form-modal.tsx';
import { Instant } from '../../parts/marks/instant.tsx';
import { expiryOf, KeyFields, type KeyValues } from './key-fields.tsx';
import type { KeyScope } from './key-scope.ts';

interface EditKeyModalProps {
  readonly scope: KeyScope;
  readonly keyId: string;
  readonly onEnd: () => void;
}

/** Changes a management key as it is at the moment of opening. */
export function EditKeyModal({ scope, keyId, onEnd }: EditKeyModalProps) {
  const { t } = useTranslation();
  const { show, update } = scope.operations;
  const { opened, form, save } = useEdit(show, update, {
    params: { ...scope.params, management_key_id: keyId },
  });
  const was = opened?.value;
  return (
    <FormModal<KeyValues & { enabled: boolean }>
      title={was === undefined ? t('common.edit') : t('managementKeys.edit', { name: was.name })}
      name="edit-key"
      width={620}
      {...form}
      initialValues={
        was && {
          name: was.name,
          ...(was.role !== 'operator' && { role: was.role }),
          enabled: was.enabled,
          allow: [...was.allow],
          expiry: 'keep',
        }
      }
      onSave={(values) => {
        const expires = expiryOf(values, Date.now());
        const body = {
          name: values.name.trim(),
          enabled: values.enabled,
          allow: values.allow,
          ...(scope.organizationId !== undefined && values.role !== undefined && { role: values.role }),
          ...(expires !== undefined && { expires_at: expires }),
        };
        save({ body }, onEnd);
      }}
      onEnd={onEnd}
    >
      <KeyFields organizationId={scope.organizationId} expiresAt={was?.expires_at ?? null} />
      <p className="quiet small">
        {t('members.expires')}:{' '}
        {was?.expires_at == null ? t('managementKeys.expiry.never') : <Instant at={was.expires_at} />}
      </p>
      <Form.Item
        name="enabled"
        label={t('deployments.switches.enabled')}
        extra={t('deployments.switchHints.enabled')}
        valuePropName="checked"
      >
        <Switch />
      </Form.Item>
      <div className="stack tight">
        <strong>{t('deployments.tokens')}</strong>
        {was?.tokens.map((token) => (
          <div key={`${token.hint} ${token.created_at}`}>
            <span className="mono">{token.hint}…</span>{' '}
            <span className="quiet">
              <Instant at={token.created_at} />
              {token.expires_at !== null && (
                <>
                  {' · '}
                  {t('deployments.until')} <Instant at={token.expires_at} />
                </>
              )}
            </span>
          </div>
        ))}
      </div>
    </FormModal>
  );
}
