import { EditOutlined } from '@ant-design/icons';
import { updateDeployment } from '@waxwing/contract/management-api/deployment-operations.ts';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import type { InputOf } from '../../api/call.ts';
import type { Deployment } from '../../api/shown-things.ts';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { SwitchRow } from '../../parts/switch-row.tsx';
import { EditDeploymentModal } from './edit-deployment-modal.tsx';

export interface DeploymentSettingsProps {
  readonly organizationId: string;
  readonly deployment: Deployment;
  /** Of what is shown: a change of something that somebody else has changed meanwhile is refused. */
  readonly etag: string;
  readonly mayChange: boolean;
}

type Update = NonNullable<InputOf<typeof updateDeployment>['body']>;

const switches = ['enabled', 'permitted', 'query_token'] as const;

export function DeploymentSettings({ organizationId, deployment, etag, mayChange }: DeploymentSettingsProps) {
  const { t } = useTranslation();
  const [isEditing, setEditing] = useState(false);
  const updating = useChange(updateDeployment);
  const params = { organization_id: organizationId, deployment_id: deployment.id };
  const update = (body: Update) => updating.mutate({ params, body, ifMatch: etag });

  return (
    <section className="panel" aria-labelledby="deployment-settings">
      <div className="row" style={{ marginBlockEnd: 8 }}>
        <h2 id="deployment-settings" className="panel-title grow" style={{ marginBlockEnd: 0 }}>
          {t('deployments.settings')}
        </h2>
        {mayChange && (
          <Button size="small" icon={<EditOutlined />} onClick={() => setEditing(true)}>
            {t('deployments.edit')}
          </Button>
        )}
      </div>
      {updating.error !== null && (
        <div style={{ marginBlock: 8 }}>
          <ProblemAlert error={updating.error} />
        </div>
      )}
      {switches.map((name) => (
        <SwitchRow
          key={name}
          label={t(`deployments.switches.${name}`)}
          hint={t(`deployments.switchHints.${name}`)}
          isOn={deployment[name]}
          mayChange={mayChange}
          isPending={updating.isPending && updating.variables?.body?.[name] !== undefined}
          onChange={(isOn) => update({ [name]: isOn })}
        />
      ))}
      <div className="settings-row">
        <div>
          <div>{t('deployments.allowList')}</div>
          <div className={deployment.allow.length === 0 ? 'quiet small' : 'mono small break-anywhere'}>
            {deployment.allow.join(', ') || t('deployments.emptyAllowList')}
          </div>
        </div>
      </div>
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
    </section>
  );
}
