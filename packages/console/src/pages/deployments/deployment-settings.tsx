import { updateDeployment } from '@waxwing/contract/management-api/operations/deployment-operations.ts';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import type { Deployment } from '../../api/shown-things.ts';
import { AccessSettings } from '../../parts/forms/access-settings.tsx';
import { EditDeploymentModal } from './edit-deployment-modal.tsx';

interface DeploymentSettingsProps {
  readonly organizationId: string;
  readonly deployment: Deployment;
  /** Of the shown state: a change of an outdated state is refused. */
  readonly etag: string;
  readonly mayChange: boolean;
}

export function DeploymentSettings({ organizationId, deployment, etag, mayChange }: DeploymentSettingsProps) {
  const { t } = useTranslation();
  const [isEditing, setEditing] = useState(false);
  const updating = useChange(updateDeployment);
  const params = { organization_id: organizationId, deployment_id: deployment.id };
  return (
    <AccessSettings
      access={deployment}
      texts={{
        permitted: t('deployments.switches.permitted'),
        permittedHint: t('deployments.switchHints.permitted'),
        emptyAllowList: t('deployments.emptyAllowList'),
      }}
      mayChange={mayChange}
      updating={updating}
      onSwitch={(body) => updating.mutate({ params, body, ifMatch: etag })}
      onEdit={() => setEditing(true)}
    >
      <div className="settings-row">
        <div>
          <div>{t('deployments.requestsPerMinute')}</div>
          <div className="quiet small figures">{deployment.requests_per_minute ?? t('deployments.noLimit')}</div>
        </div>
      </div>
      {isEditing && (
        <EditDeploymentModal
          organizationId={organizationId}
          deploymentId={deployment.id}
          onEnd={() => setEditing(false)}
        />
      )}
    </AccessSettings>
  );
}
