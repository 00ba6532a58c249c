import { listCertificates } from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import { listDeployments } from '@waxwing/contract/management-api/operations/deployment-operations.ts';
import { listAccounts } from '@waxwing/contract/management-api/operations/instance-account-operations.ts';
import { ofInstance, ofOrganization } from '@waxwing/contract/management-api/operations/management-key-operations.ts';
import { listMembers } from '@waxwing/contract/management-api/operations/member-operations.ts';
import { Select } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';
import { useMay, useMe } from '../../api/use-me.ts';
import { usePausedText } from '../../parts/forms/typing-pause.ts';
import { isIdForm } from './audit-filters.ts';
import { actionChoices } from './audit-words.ts';

interface Choice {
  readonly value: string;
  readonly label: string;
}

interface AuditSelectProps {
  /** Left out: of the whole instance. */
  readonly organizationId?: string | undefined;
  readonly value: string | undefined;
  /** The name of the value in the shown entries. */
  readonly name: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** Offers people by email address and keys by name. An address may also be typed. */
export function ActorSelect({ organizationId, value, name, onChange }: AuditSelectProps) {
  const { t } = useTranslation();
  const may = useMay(organizationId);
  const { modules } = useMe();
  const isOfInstance = organizationId === undefined;
  const params = { organization_id: organizationId ?? '' };
  const members = usePages(listMembers, { params }, { enabled: !isOfInstance && may(listMembers) });
  const operators = usePages(
    listAccounts,
    { query: { operator: true } },
    { enabled: isOfInstance && may(listAccounts) },
  );
  const keys = usePages(ofOrganization.list, { params }, { enabled: !isOfInstance && may(ofOrganization.list) });
  const instanceKeys = usePages(ofInstance.list, {}, { enabled: isOfInstance && may(ofInstance.list) });
  const people = [...(members.items ?? []), ...(operators.items ?? [])];
  const choices = [
    ...people.map(({ email }) => ({ value: email, label: email })),
    ...[...(keys.items ?? []), ...(instanceKeys.items ?? [])].map((key) => ({
      value: `key:${key.id}`,
      label: key.name,
    })),
    ...(modules.includes('certificates') ? [{ value: 'acme', label: t('audit.acme') }] : []),
  ];
  return <Choices label={t('audit.filters.actor')} choices={choices} {...{ value, name, onChange }} />;
}

/** Offers actions by their names; their codes are searched as well. */
export function ActionSelect({ value, onChange }: Pick<AuditSelectProps, 'value' | 'onChange'>) {
  const { t } = useTranslation();
  return (
    <Choices label={t('audit.filters.action')} choices={actionChoices(t)} name={undefined} {...{ value, onChange }} />
  );
}

/** Searches certificates and deployments by name and domain. Everything else is found by its id. */
export function SubjectSelect({ organizationId, value, name, onChange }: AuditSelectProps) {
  const { t } = useTranslation();
  const may = useMay(organizationId);
  const { modules } = useMe();
  const [text, setText] = useState('');
  const wanted = text.trim().slice(0, longestSearch);
  const search = usePausedText(wanted);
  const input = { params: { organization_id: organizationId ?? '' }, query: { search } };
  const looksUp = organizationId !== undefined && modules.includes('certificates');
  const enabled = looksUp && search !== '';
  const certificates = usePages(listCertificates, input, { enabled: enabled && may(listCertificates) });
  const deployments = usePages(listDeployments, input, { enabled: enabled && may(listDeployments) });
  // Results for a former text are not offered: Enter would choose the first of them.
  const isFound = enabled && search === wanted && !certificates.isPlaceholderData && !deployments.isPlaceholderData;
  const found = isFound ? [...(certificates.items ?? []), ...(deployments.items ?? [])] : [];
  const choices = found.map((item) => ({ value: item.id, label: item.name }));
  return (
    <Choices
      label={t(looksUp ? 'audit.filters.subject' : 'audit.filters.subjectId')}
      choices={choices}
      onSearch={setText}
      {...{ value, name, onChange }}
    />
  );
}

const longestSearch = 200;

function fits({ label, value }: Choice, text: string): boolean {
  return [label, value].some((each) => each.toLowerCase().includes(text.trim().toLowerCase()));
}

interface ChoicesProps extends Pick<AuditSelectProps, 'value' | 'name' | 'onChange'> {
  readonly label: string;
  readonly choices: readonly Choice[];
  /** Searches the choices; a typed id can be chosen itself. Left out: all choices are there. */
  readonly onSearch?: (text: string) => void;
}

/** A choice that also accepts typed text. */
function Choices({ label, choices, value, name, onSearch, onChange }: ChoicesProps) {
  const [text, setText] = useState('');
  const typed = text.trim().slice(0, longestSearch);
  const isListed = choices.some((choice) => choice.value === typed);
  const matches = choices.filter((choice) => fits(choice, typed));
  // An address may be a part of another one.
  const isKnown = matches.some((choice) => choice.label === typed || !typed.includes('@'));
  const isTyped = onSearch === undefined ? typed !== '' && !isKnown : isIdForm(typed) && !isListed;
  return (
    <Select
      className="audit-filter"
      aria-label={label}
      allowClear
      placeholder={label}
      value={value ?? null}
      showSearch={{
        onSearch: (next) => {
          setText(next);
          onSearch?.(next);
        },
        // The server may have found the text in a domain, which is not shown.
        filterOption: onSearch === undefined && ((wanted, option) => option !== undefined && fits(option, wanted)),
      }}
      options={[...choices, ...(isTyped ? [{ value: typed, label: typed }] : [])]}
      labelRender={({ label: listed, value: chosen }) => listed ?? name ?? chosen}
      onChange={(next?: string | null) => {
        setText('');
        onChange(next ?? undefined);
      }}
    />
  );
}
