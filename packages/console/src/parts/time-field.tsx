import { Input } from 'antd';
import { fromLocalField, toLocalField } from './local-time.ts';

export interface TimeFieldProps {
  readonly id?: string;
  readonly label: string;
  /** RFC 3339. */
  readonly value?: string | null | undefined;
  readonly onChange?: (at: string | null) => void;
  /** Before the field: what it bounds. */
  readonly prefix?: string;
}

/**
 * A moment, chosen by the browser's own means: in its language, by its calendar. antd's calendar is not used: it fails
 * axe (columns that scroll without the keyboard, names that differ from what is read).
 */
export function TimeField({ id, label, value, onChange, prefix }: TimeFieldProps) {
  return (
    <Input
      {...(id !== undefined && { id })}
      {...(prefix !== undefined && { prefix: <span className="quiet">{prefix}</span> })}
      className="time-field"
      type="datetime-local"
      aria-label={label}
      max="9999-12-31T23:59"
      value={toLocalField(value)}
      onChange={(event) => onChange?.(fromLocalField(event.target.value) ?? null)}
    />
  );
}
