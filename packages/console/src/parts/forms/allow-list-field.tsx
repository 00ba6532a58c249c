import { EnvironmentOutlined } from '@ant-design/icons';
import { admitsEverybody } from '@waxwing/contract/admits-everybody.ts';
import { showClientAddress } from '@waxwing/contract/management-api/operations/deployment-operations.ts';
import { showInstanceClientAddress } from '@waxwing/contract/management-api/operations/instance-operations.ts';
import { Alert, App, Button, Select } from 'antd';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../../api/api-context.tsx';
import { toApiProblem } from '../../api/api-problem.ts';
import { problemSentence } from '../text/problem-texts.ts';
import { splitAddresses } from './address-list.ts';

export interface AllowListFieldProps {
  readonly id?: string;
  /** Left out: of the whole instance. */
  readonly organizationId?: string | undefined;
  /** The meanings of an empty list, and of one that allows every address. */
  readonly warnings: { readonly empty: string; readonly open: string };
  readonly value?: readonly string[];
  readonly onChange?: (value: string[]) => void;
}

/** Addresses and networks, with "add my address" and warnings for an empty list and one that allows every address. */
export function AllowListField({ id, organizationId, warnings, value = [], onChange }: AllowListFieldProps) {
  const { t, i18n } = useTranslation();
  const { message } = App.useApp();
  const { call } = useApi();
  const [isAsking, setAsking] = useState(false);
  // Keeps what is typed while the server is asked.
  const latest = useRef(value);
  latest.current = value;

  async function addOwn(): Promise<void> {
    setAsking(true);
    try {
      const { address } =
        organizationId === undefined
          ? await call(showInstanceClientAddress, {})
          : await call(showClientAddress, { params: { organization_id: organizationId } });
      onChange?.([...new Set([...latest.current, address])]);
    } catch (error) {
      message.error(problemSentence(i18n, toApiProblem(error)));
    } finally {
      setAsking(false);
    }
  }

  return (
    <div className="stack tight">
      <div className="row">
        <Select
          {...(id !== undefined && { id })}
          className="grow"
          mode="tags"
          open={false}
          suffixIcon={null}
          aria-label={t('deployments.allowList')}
          placeholder={t('deployments.allowListPlaceholder')}
          tokenSeparators={[',', ' ', '\n', ';', '，', '；']}
          value={[...value]}
          onChange={(next: string[]) => onChange?.(splitAddresses(next))}
        />
        <Button icon={<EnvironmentOutlined />} loading={isAsking} onClick={() => void addOwn()}>
          {t('deployments.addMyAddress')}
        </Button>
      </div>
      {value.length === 0 && <Alert type="warning" showIcon title={warnings.empty} />}
      {admitsEverybody(value) && <Alert type="warning" showIcon title={warnings.open} />}
    </div>
  );
}
