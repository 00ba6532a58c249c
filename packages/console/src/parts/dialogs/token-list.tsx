import { useTranslation } from 'react-i18next';
import { Instant } from '../marks/instant.tsx';

interface TokenListProps {
  readonly tokens: readonly {
    readonly hint: string;
    readonly created_at: string;
    readonly expires_at: string | null;
  }[];
}

/** Tokens by their first characters; a former one with its expiry. */
export function TokenList({ tokens }: TokenListProps) {
  const { t } = useTranslation();
  return tokens.map(({ hint, created_at, expires_at }) => (
    <div key={`${hint} ${created_at}`}>
      <span className="mono">{hint}…</span>
      {expires_at !== null && (
        <span className="quiet">
          {' '}
          {t('deployments.until')} <Instant at={expires_at} />
        </span>
      )}
    </div>
  ));
}
