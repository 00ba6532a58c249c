import { Input } from 'antd';
import { useEffect, useState } from 'react';
import { fromLocalField, toLocalField } from './local-time.ts';

interface TimeFieldProps {
  readonly id?: string;
  readonly label: string;
  /** RFC 3339. */
  readonly value?: string | null | undefined;
  readonly onChange?: (at: string | null) => void;
  /** Shown in the field, before the time. */
  readonly prefix?: string;
}

/**
 * A time, chosen in the browser's own picker. antd's calendar fails axe: its columns do not scroll by keyboard, and its
 * names differ from its labels.
 */
export function TimeField({ id, label, value, onChange, prefix }: TimeFieldProps) {
  const shown = toLocalField(value);
  // An incomplete time stays in the field while it has the focus, and is not reported.
  const [text, setText] = useState(shown);
  useEffect(() => setText(shown), [shown]);
  return (
    <Input
      {...(id !== undefined && { id })}
      {...(prefix !== undefined && { prefix: <span className="quiet">{prefix}</span> })}
      className={text === '' ? 'time-field empty' : 'time-field'}
      type="datetime-local"
      aria-label={label}
      max="9999-12-31T23:59"
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        const at = fromLocalField(target.value);
        if (at !== undefined || target.value === '') onChange?.(at ?? null);
      }}
      onBlur={() => setText(shown)}
    />
  );
}
