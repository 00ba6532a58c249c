import { Form } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { OpenListConfirmation } from '../dialogs/open-list-confirmation.tsx';
import { AllowListField, type AllowListFieldProps } from './allow-list-field.tsx';
import { TextField } from './text-field.tsx';

interface NameAndAddressesProps extends Pick<AllowListFieldProps, 'organizationId' | 'warnings'> {
  readonly nameHint: string;
  readonly namePlaceholder: string;
  readonly allowHint: string;
  readonly children?: ReactNode;
}

/** The fields `name` and `allow` in a form for a holder of tokens. */
export function NameAndAddresses(props: NameAndAddressesProps) {
  const { t } = useTranslation();
  const { nameHint, namePlaceholder, allowHint, children, ...list } = props;
  return (
    <>
      <TextField autoFocus name="name" label={t('common.name')} hint={nameHint} placeholder={namePlaceholder} />
      {children}
      <Form.Item name="allow" label={t('deployments.allowList')} extra={allowHint}>
        <AllowListField {...list} />
      </Form.Item>
      <OpenListConfirmation />
    </>
  );
}
