import { useTranslation } from 'react-i18next';
import { TimeField } from './time-field.tsx';

const bounds = ['since', 'until'] as const;

interface Bounds {
  /** RFC 3339. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

interface TimeBoundsProps extends Bounds {
  /** What the times are of, for screen readers: `Accepted`. */
  readonly of: string;
  readonly onChange: (change: Bounds) => void;
}

/** The two ends of a time span in a bar of filters. When the bar wraps, both stay together. */
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
