import { EditOutlined } from '@ant-design/icons';
import type { UseMutationResult } from '@tanstack/react-query';
import { Button, Switch } from 'antd';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Panel } from '../text/panel.tsx';
import { ProblemAlert } from '../text/problem-alert.tsx';

const switches = ['enabled', 'permitted', 'query_token'] as const;
type SwitchName = (typeof switches)[number];
type Switched = { readonly [Name in SwitchName]?: boolean };

interface AccessSettingsProps {
  readonly access: Readonly<Record<SwitchName, boolean>> & { readonly allow: readonly string[] };
  readonly texts: {
    readonly permitted: string;
    readonly permittedHint: string;
    readonly emptyAllowList: string;
  };
  readonly mayChange: boolean;
  /** The change of a switch, as `useChange` gives it. */
  readonly updating: Pick<
    UseMutationResult<unknown, Error, { readonly body?: Switched }>,
    'error' | 'isPending' | 'variables'
  >;
  readonly onSwitch: (change: Switched) => void;
  readonly onEdit: () => void;
  readonly children?: ReactNode;
}

/** How the tokens of something may be used: the switches, and the allow-list. */
export function AccessSettings(props: AccessSettingsProps) {
  const { access, texts, mayChange, updating, onSwitch, onEdit, children } = props;
  const { t } = useTranslation();
  const labels = {
    enabled: [t('deployments.switches.enabled'), t('deployments.switchHints.enabled')],
    permitted: [texts.permitted, texts.permittedHint],
    query_token: [t('deployments.switches.query_token'), t('deployments.switchHints.query_token')],
  } as const;
  return (
    <Panel
      title={t('common.settings')}
      actions={
        mayChange && (
          <Button size="small" icon={<EditOutlined />} onClick={onEdit}>
            {t('common.edit')}
          </Button>
        )
      }
    >
      <ProblemAlert error={updating.error} />
      {switches.map((name) => (
        <SwitchRow
          key={name}
          label={labels[name][0]}
          hint={labels[name][1]}
          isOn={access[name]}
          mayChange={mayChange}
          isPending={updating.isPending && updating.variables?.body?.[name] !== undefined}
          onChange={(isOn) => onSwitch({ [name]: isOn })}
        />
      ))}
      <div className="settings-row">
        <div>
          <div>{t('deployments.allowList')}</div>
          <div className={access.allow.length === 0 ? 'quiet small' : 'mono small break-anywhere'}>
            {access.allow.join(', ') || texts.emptyAllowList}
          </div>
        </div>
      </div>
      {children}
    </Panel>
  );
}

interface SwitchRowProps {
  readonly label: string;
  readonly hint: string;
  readonly isOn: boolean;
  readonly mayChange: boolean;
  readonly isPending: boolean;
  readonly onChange: (isOn: boolean) => void;
}

/** One setting that is on or off, with what that means. */
function SwitchRow({ label, hint, isOn, mayChange, isPending, onChange }: SwitchRowProps) {
  const labelId = useId();
  return (
    <div className="settings-row">
      <div>
        <div id={labelId}>{label}</div>
        <div className="quiet small">{hint}</div>
      </div>
      <Switch aria-labelledby={labelId} checked={isOn} disabled={!mayChange} loading={isPending} onChange={onChange} />
    </div>
  );
}
