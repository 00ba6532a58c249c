import { Alert, Tabs } from 'antd';
import { useTranslation } from 'react-i18next';
import { CopyBlock } from '../text/copy-block.tsx';

/** One way of using a token. */
interface TokenUse {
  readonly key: string;
  /** On the tab: `curl`, `nginx`. */
  readonly label: string;
  /** In their order, each with its purpose. */
  readonly commands: readonly { readonly lead: string; readonly text: string; readonly wrapped?: boolean }[];
}

/** A token in clear, which is shown only once, and how to use it. */
export function TokenOnce({
  token,
  title,
  uses,
}: {
  readonly token: string;
  readonly title: string;
  readonly uses: readonly TokenUse[];
}) {
  const { t } = useTranslation();
  return (
    <div className="stack">
      <Alert type="warning" showIcon title={t('deployments.token.once')} />
      <div className="stack tight">
        <strong>{title}</strong>
        <CopyBlock text={token} label={title} wrapped />
      </div>
      <Tabs
        items={uses.map(({ key, label, commands }) => ({
          key,
          label,
          children: (
            <div className="stack tight">
              {commands.map(({ lead, text, wrapped = false }) => (
                <div key={lead} className="stack tight">
                  <span className="quiet">{lead}</span>
                  <CopyBlock text={text} label={lead} wrapped={wrapped} />
                </div>
              ))}
            </div>
          ),
        }))}
      />
    </div>
  );
}
