import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Carrier } from '../../api/shown-carriers.ts';
import { codeKey } from '../../i18n/code-key.ts';
import { Instant } from '../../parts/marks/instant.tsx';
import { OrganizationName } from '../../parts/marks/organization-name.tsx';
import { Fact } from '../../parts/text/fact.tsx';
import { Panel } from '../../parts/text/panel.tsx';
import { choices } from './carrier-values.ts';

/** The settings as the form groups them. */
const groups = {
  choice: ['for_prefix', 'for_sender', 'for_organization', 'priority', 'weight'],
  pace: ['connection_count', 'window', 'rate', 'unanswered', 'response_timeout', 'keep_alive', 'bind'],
  tls: ['tls', 'tls_name', 'tls_ca', 'tls_certificate'],
  smpp: [
    ...(['default_alphabet', 'long', 'receipt_id', 'system_type', 'source_ton', 'source_npi'] as const),
    ...(['destination_ton', 'destination_npi', 'temporary', 'permanent'] as const),
  ],
  cmpp: ['source_address', 'service_id', 'enterprise_code'],
} as const;

type GroupName = keyof typeof groups;
type SettingName = (typeof groups)[GroupName][number];

/** How a carrier is set. Settings that are empty, or that its protocol lacks, are left out. */
export function CarrierSettingsPanel({ carrier }: { readonly carrier: Carrier }) {
  const { t } = useTranslation();
  const isConditional = carrier.for_prefix.length + carrier.for_sender.length + carrier.for_organization.length > 0;
  const shown: readonly GroupName[] = ['choice', 'pace', 'tls', carrier.protocol === 'smpp' ? 'smpp' : 'cmpp'];
  return (
    <Panel title={t('common.settings')}>
      <div className="stack">
        <dl className="facts">
          <Fact name={t('carriers.settings.account')} className="mono">
            {carrier.account}
          </Fact>
          <Fact name={t('carriers.settings.password')}>{t('carriers.stored')}</Fact>
          <Fact name={t('common.created')}>
            <Instant at={carrier.created_at} />
          </Fact>
          <Fact name={t('carriers.changedAt')}>
            <Instant at={carrier.updated_at} />
          </Fact>
        </dl>
        {shown.map((group) => (
          <section key={group} className="stack tight carrier-group">
            <h3>{t(`carriers.groups.${group}`)}</h3>
            <dl className="facts">
              {group === 'choice' && !isConditional && (
                <Fact name={t('carriers.conditions')}>{t('carriers.noCondition')}</Fact>
              )}
              {groups[group].map((name) => (
                <Setting key={name} name={name} value={carrier[name]} />
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Panel>
  );
}

interface SettingProps {
  readonly name: SettingName;
  readonly value: string | number | readonly string[] | null;
}

function Setting({ name, value }: SettingProps): ReactNode {
  const { t } = useTranslation();
  if (value === null || (typeof value === 'object' && value.length === 0)) return null;
  return (
    <Fact name={t(`carriers.settings.${name}`)} className={name in choices ? '' : 'figures'}>
      <SettingValue name={name} value={value} />
    </Fact>
  );
}

function SettingValue({
  name,
  value,
}: {
  readonly name: SettingName;
  readonly value: NonNullable<SettingProps['value']>;
}) {
  const { t, i18n } = useTranslation();
  if (name === 'tls_ca' || name === 'tls_certificate') return t('carriers.stored');
  if (typeof value === 'number') return value.toLocaleString(i18n.language);
  if (typeof value === 'string') {
    const isChoice = name in choices;
    return isChoice ? t(`carriers.choices.${name}.${codeKey(value)}` as 'carriers.choices.tls.off') : value;
  }
  if (name !== 'for_organization') return value.join(', ');
  return value.map((each) => (
    <div key={each}>
      <OrganizationName organizationId={each} />
    </div>
  ));
}
