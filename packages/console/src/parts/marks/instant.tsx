import { useTranslation } from 'react-i18next';
import { formatLocal, zoneOf } from './format-instant.ts';

interface InstantProps {
  /** RFC 3339. */
  readonly at: string;
  readonly dateOnly?: boolean;
}

/** A time in the browser's zone, with its name. Hovering or touching it shows the instant in UTC. */
export function Instant({ at, dateOnly = false }: InstantProps) {
  const { i18n } = useTranslation();
  return (
    <time dateTime={at} title={at}>
      {formatLocal(at, i18n.language, dateOnly)}
      {!dateOnly && <span className="zone"> {zoneOf(at)}</span>}
    </time>
  );
}
