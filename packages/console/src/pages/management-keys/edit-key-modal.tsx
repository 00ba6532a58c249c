import { Form, Switch } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange, useTagged } from '../../api/api-context.tsx';
import type { Tagged } from '../../api/call.ts';
import { FormModal } from '../../parts/form-modal.tsx';
import { Instant } from '../../parts/instant.tsx';
import { PendingModal } from '../../parts/pending-modal.tsx';
import { expiryOf, KeyFields, type KeyValues } from './key-fields.tsx';
import type { KeyScope, ManagementKey } from './key-scope.ts';

export interface EditKeyModalProps {
  readonly scope: KeyScope;
  readonly keyId: string;
  readonly onEnd: () => void;
}

/** Changes a management key as it is at the moment of opening. */
export function EditKeyModal({ scope, keyId, onEnd }: EditKeyModalProps) {
  const { t } = useTranslation();
  const params = { ...scope.params, management_key_id: keyId };
  const shown = useTagged(scope.operations.show, { params });
  if (shown.data !== undefined) return <EditForm scope={scope} opened={shown.data} onEnd={onEnd} />;
  return <PendingModal title={t('deployments.edit')} width={620} error={shown.error} onEnd={onEnd} />;
}

interface Details extends ManagementKey {
  readonly tokens: readonly {
    readonly hint: string;
    readonly created_at: string;
    readonly expires_at: string | null;
  }[];
}

function EditForm({
  scope,
  opened,
  onEnd,
}: {
  readonly scope: KeyScope;
  readonly opened: Tagged<Details>;
  readonly onEnd: () => void;
}) {
  const { t } = useTranslation();
  const updating = useChange(scope.operations.update);
  // What is edited is what it was when it was opened, whatever is read anew behind it.
  const [{ value, etag }] = useState(opened);
  const { name, role, enabled, allow, expires_at, tokens } = value;
  return (
    <FormModal<KeyValues & { enabled: boolean }>
      title={t('managementKeys.edit', { name })}
      name="edit-key"
      width={620}
      initialValues={{ name, ...(role !== 'operator' && { role }), enabled, allow: [...allow], expiry: 'keep' }}
      saving={updating}
      onSave={(values) => {
        const expires = expiryOf(values, Date.now());
        updating.mutate(
          {
            params: { ...scope.params, management_key_id: value.id },
            ifMatch: etag,
            body: {
              name: values.name.trim(),
              enabled: values.enabled,
              allow: values.allow,
              ...(scope.organizationId !== undefined && values.role !== undefined && { role: values.role }),
              ...(expires !== undefined && { expires_at: expires }),
            },
          },
          { onSuccess: onEnd },
        );
      }}
      onEnd={onEnd}
    >
      <KeyFields organizationId={scope.organizationId} expiresAt={expires_at} />
      <p className="quiet small">
        {t('managementKeys.columns.expires')}:{' '}
        {expires_at === null ? t('managementKeys.expiry.never') : <Instant at={expires_at} />}
      </p>
      <Form.Item
        name="enabled"
        label={t('deployments.switches.enabled')}
        extra={t('deployments.switchHints.enabled')}
        valuePropName="checked"
        style={{ marginBlockEnd: 0 }}
      >
        <Switch />
      </Form.Item>
      <div className="stack tight">
        <strong>{t('deployments.tokens')}</strong>
        {tokens.map((token) => (
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
