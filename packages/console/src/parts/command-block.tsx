import { CheckOutlined, CopyOutlined } from '@ant-design/icons';
import { App, Button } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from './copy-text.ts';

export interface CommandBlockProps {
  readonly text: string;
  /** What it is, for the name of the copy button. */
  readonly label: string;
  /** Long words are broken instead of scrolled. */
  readonly wrapped?: boolean;
}

/** Text to be taken along as it is, with a button that copies it. */
export function CommandBlock({ text, label, wrapped = false }: CommandBlockProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const [isCopied, setCopied] = useState(false);
  const shown = useRef<HTMLPreElement>(null);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  async function copy(): Promise<void> {
    const isDone = await copyText(text);
    setCopied(isDone);
    if (isDone) return;
    if (shown.current !== null) getSelection()?.selectAllChildren(shown.current);
    message.warning(t('common.copyByHand'));
  }
  return (
    <div className={wrapped ? 'command wrapped' : 'command'}>
      <pre ref={shown} tabIndex={wrapped ? undefined : 0}>
        {text}
      </pre>
      <Button
        className="copy"
        size="small"
        aria-label={t('common.copyNamed', { name: label })}
        icon={isCopied ? <CheckOutlined /> : <CopyOutlined />}
        onClick={() => void copy()}
      />
      <span className="visually-hidden" aria-live="polite">
        {isCopied ? t('common.copied') : ''}
      </span>
    </div>
  );
}
