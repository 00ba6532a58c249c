import { Alert } from 'antd';
import { useTranslation } from 'react-i18next';
import { CommandBlock } from './command-block.tsx';

export interface TokenOnceProps {
  readonly title: string;
  readonly token: string;
}

/** A token in clear, the only time that it is shown. */
export function TokenOnce({ title, token }: TokenOnceProps) {
  const { t } = useTranslation();
  return (
    <>
      <Alert type="warning" showIcon title={t('deployments.token.once')} />
      <div className="stack tight">
        <strong>{title}</strong>
        <CommandBlock text={token} label={title} wrapped />
      </div>
    </>
  );
}
