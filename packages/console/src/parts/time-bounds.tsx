import { useTranslation } from 'react-i18next';
import { TimeField } from './time-field.tsx';

const bounds = ['since', 'until'] as const;

interface Bounds {
  /** RFC 3339. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

export interface TimeBoundsProps extends Bounds {
  /** What lies between the two, for whoever cannot see the table: `Accepted`. */
  readonly of: string;
  readonly onChange: (change: Bounds) => void;
}

/** From when until when, in a bar of filters: when the bar wraps, both go together. */
export function TimeBounds({ of, onChange, ...values }: TimeBoundsProps) {
  const { t } = useTranslation();
  return (
    <span className="time-bounds">
      {bounds.map((name) => (
        <TimeField
          key={name}
          label={`${of}: ${t(`common.${name}`)}`}
          prefix={t(`common.${name}`)}
          value={values[name]}
          onChange={(at) => onChange({ [name]: at ?? undefined })}
        />
      ))}
    </span>
  );
}
