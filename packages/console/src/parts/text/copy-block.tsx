import { App } from 'antd';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from './copy-button.tsx';

interface CopyBlockProps {
  readonly text: string;
  readonly label: string;
  /** Breaks long words instead of scrolling. */
  readonly wrapped?: boolean;
}

/** A text to be copied: a command, a token. */
export function CopyBlock({ text, label, wrapped = false }: CopyBlockProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const shown = useRef<HTMLPreElement>(null);
  function select(): void {
    if (shown.current !== null) getSelection()?.selectAllChildren(shown.current);
    message.warning(t('common.copyByHand'));
  }
  return (
    <div className={wrapped ? 'command wrapped' : 'command'}>
      <pre ref={shown} tabIndex={wrapped ? undefined : 0}>
        {text}
      </pre>
      <CopyButton className="copy" text={text} label={label} onRefused={select} />
    </div>
  );
}
