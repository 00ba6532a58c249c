import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { ShownOnceModal } from '../../parts/dialogs/shown-once-modal.tsx';
import { FormModal } from '../../parts/forms/form-modal.tsx';
import { expiryOf, KeyFields, type KeyValues } from './key-fields.tsx';
import { KeyPanel } from './key-panel.tsx';
import type { KeyScope } from './key-scope.ts';

export function CreateKeyModal({ scope, onEnd }: { readonly scope: KeyScope; readonly onEnd: () => void }) {
  const { t } = useTranslation();
  const creating = useChange(scope.operations.create);
  const { data } = creating;
  if (data !== undefined) {
    return (
      <ShownOnceModal
        width={760}
        title={t('managementKeys.created', { name: data.name })}
        okText={t('deployments.tokenKept')}
        onEnd={onEnd}
      >
        <KeyPanel token={data.token} organizationId={scope.organizationId} />
      </ShownOnceModal>
    );
  }
  return (
    <FormModal<KeyValues>
      title={t('managementKeys.create')}
      lead={t(scope.organizationId === undefined ? 'managementKeys.createInstanceLead' : 'managementKeys.createLead')}
      name="create-key"
      submit={t('deployments.createSubmit')}
      width={620}
      initialValues={{ role: 'viewer', allow: [], expiry: 90 }}
      saving={creating}
      onSave={({ name, role = 'viewer', allow, expiry }) =>
        creating.mutate({
          params: scope.params,
          body: {
            name: name.trim(),
            // Keys of the instance have a fixed role.
            ...((scope.organizationId === undefined ? {} : { role }) as { role: typeof role }),
            allow,
            expires_at: expiryOf({ expiry }, Date.now()) ?? null,
          },
        })
      }
      onEnd={onEnd}
    >
      <KeyFields organizationId={scope.organizationId} />
    </FormModal>
  );
}
