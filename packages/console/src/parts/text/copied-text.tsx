import { App } from 'antd';
import { useTranslation } from 'react-i18next';
import { CopyButton } from './copy-button.tsx';

interface CopiedTextProps {
  /** An id, a serial number, a fingerprint. */
  readonly text: string;
  readonly label: string;
}

/** A short text with a button that copies it. */
export function CopiedText({ text, label }: CopiedTextProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  return (
    <span className="copied-text">
      <span className="mono break-anywhere">{text}</span>
      <CopyButton type="text" text={text} label={label} onRefused={() => message.warning(t('common.notCopied'))} />
    </span>
  );
}
